"""What clients tell that keep their models: scores, mean logits by label, seeds of a generator."""

from dataclasses import replace
from functools import partial

import numpy as np
import torch
from torch import Tensor

from fbftl.attacks.attained import Attained, labels_recovered
from fbftl.attacks.membership import auc, auc_by_losses, every
from fbftl.exchange.personal import Cohort, personal_models
from fbftl.methods.fd.augmentation import fitted, seeds_of
from fbftl.methods.fd.run import label_means
from fbftl.training.samples import LabelledInputs


def membership_in_scores(cohort: Cohort) -> Attained:
    """Return how well a client's scores of samples that the server plants tell its own ones.

    The server knows their labels and puts them among the open samples: the client's own have the
    smaller loss.
    """
    samples, test = cohort.client_data.samples, every(cohort.client_data.test)
    aucs = [
        auc_by_losses(partial(cohort.models.logits, client), samples.at(rows), test)
        for client, rows in enumerate(cohort.rows)
    ]
    return Attained("membership", "server that chooses the open samples", "AUC", aucs, 0.5)


def labels_of_mean_logits(cohort: Cohort) -> Attained:
    """Return the share of a client's samples whose label the counts beside its logits tell."""
    _, counts = _sent_means(cohort)
    labels, classes = cohort.client_data.samples.labels.cpu().numpy(), cohort.client_data.classes
    return labels_recovered(labels, cohort.rows, list(counts.cpu().numpy().astype(int)), classes)


def membership_in_mean_logits(cohort: Cohort) -> Attained:
    """Return how well mean logits alone tell whether a sample is among a client's own.

    A candidate scores by how sure the client's mean logits of its label are of that label: they are
    where the client has such samples, and all 0 where it has none.
    """
    means, _ = _sent_means(cohort)
    sure = _margins(means).cpu().numpy()
    labels, test = (
        samples.labels.cpu().numpy()
        for samples in (cohort.client_data.samples, cohort.client_data.test)
    )
    aucs = [
        auc(sure[client][labels[rows]], sure[client][test])
        for client, rows in enumerate(cohort.rows)
    ]
    return Attained("membership", "server", "AUC", aucs, 0.5)


def images_of_mean_logits(cohort: Cohort, open_samples: LabelledInputs) -> Attained:
    """Return how far images that the server makes of mean logits are from a client's samples.

    The server trains a network of the clients' architecture on open samples for as long, and fits
    pixels to its logits by ridge regression; mean logits of a label give the image of all samples
    of that label. The blind guess knows the label as well: the mean of the open samples of it.
    """
    fresh = personal_models(cohort.client_data, cohort.repetition)
    server = replace(fresh, split_models=fresh.split_models[:1], weights=fresh.weights[:1])
    everything, epochs = np.arange(len(open_samples.labels)), server.plan.epochs
    server.train(open_samples, [everything], 1, epochs=epochs * len(cohort.rounds))
    pixels = open_samples.inputs.flatten(1)
    fitted_logits = _with_one(server.logits(0, open_samples.inputs))
    gram = fitted_logits.T @ fitted_logits
    weights = torch.linalg.solve(gram + torch.eye(len(gram)).to(gram), fitted_logits.T @ pixels)
    means, _ = _sent_means(cohort)
    guesses = means_of_labels(open_samples, cohort.client_data.classes)
    errors, blind = [], []
    for client, rows in enumerate(cohort.rows):
        samples = cohort.client_data.samples.at(rows)
        shown = _with_one(means[client]) @ weights
        errors.append(_distance(samples.inputs, shown[samples.labels]))
        blind.append(_distance(samples.inputs, guesses[samples.labels]))
    measure, guess = "mean squared error", float(np.mean(blind))
    return Attained("reconstruction", "server", measure, errors, guess, lower=True)


def _with_one(values: Tensor) -> Tensor:
    """Return values (n, d) with a column of ones, (n, d + 1)."""
    return torch.hstack([values, values.new_ones(len(values), 1)])


def _sent_means(cohort: Cohort) -> tuple[Tensor, Tensor]:
    """Return the mean logits by label (C, N, N) and counts (C, N) that clients sent last."""
    client_data = cohort.client_data
    return label_means(cohort.models, client_data.samples, cohort.rows, client_data.classes)


def _margins(means: Tensor) -> Tensor:
    """Return by how much mean logits (C, N, N) of each label prefer it to the next, (C, N)."""
    of_label = means.diagonal(dim1=1, dim2=2)
    apart = torch.eye(means.shape[-1], dtype=torch.bool, device=means.device)
    return of_label - means.masked_fill(apart, -torch.inf).amax(-1)


def seeds_of_generator(cohort: Cohort, seeds: int) -> Attained:
    """Return how far the generator's mean of its label is from a seed.

    The server has the seeds as they are; this is what every other client gets of them. The blind
    guess is the mean of the test samples of that label.
    """
    labels = cohort.client_data.samples.labels.cpu().numpy()
    guesses = means_of_labels(every(cohort.client_data.test), cohort.client_data.classes)
    chosen = [
        seeds_of(rows, labels, seeds, cohort.post.seed, client)
        for client, rows in enumerate(cohort.rows)
    ]
    generator = fitted(
        cohort.client_data.samples.at(np.concatenate(chosen)), cohort.client_data.classes
    )
    sent = [cohort.client_data.samples.at(rows) for rows in chosen]
    guessed = [
        generator.centre + generator.means[samples.labels] @ generator.basis for samples in sent
    ]
    error = [_distance(samples.inputs, at) for samples, at in zip(sent, guessed, strict=True)]
    blind = float(np.mean([_distance(samples.inputs, guesses[samples.labels]) for samples in sent]))
    return Attained("inversion", "other client", "mean squared error", error, blind, lower=True)


def means_of_labels(samples: LabelledInputs, classes: int) -> Tensor:
    """Return the mean sample of each label (N, width); of one that none has, the mean of all.

    Args:
        samples: labelled, n of them, flattened here to (n, width).
        classes: N.
    """
    values = samples.inputs.flatten(1)
    of_label = [values[samples.labels == label] for label in range(classes)]
    return torch.stack([rows.mean(0) if len(rows) else values.mean(0) for rows in of_label])


def _distance(sent: Tensor, guessed: Tensor) -> float:
    return float((sent - guessed.reshape(-1, *sent.shape[1:])).square().mean())
