"""What clients tell that keep their models: scores, mean logits by label, seeds of a generator."""

import numpy as np
import torch
from torch import Tensor

from fbftl.attacks.attained import Attained, label_counts, share_right
from fbftl.attacks.label_recovery import blind_counts
from fbftl.attacks.membership import losses, separation
from fbftl.exchange.distillation import label_means
from fbftl.exchange.kept import Company
from fbftl.training.augmentation import fitted, seeds_of


def membership_in_scores(company: Company) -> Attained:
    """Return how well a client's scores of samples that the server plants tell its own ones.

    The server knows their labels and puts them among the open samples: the client's own have the
    smaller loss (Yeom et al. 2018).
    """
    test = company.held.test.at(np.arange(len(company.held.test.labels)))
    found = []
    for client, rows in enumerate(company.rows):
        own = company.held.samples.at(rows)
        inside, outside = (
            -losses(company.models.logits(client, side.inputs).cpu(), side.labels.cpu())
            for side in (own, test)
        )
        found.append(separation(inside, outside).auc)
    return Attained("membership", "server that chooses the open samples", "AUC", found, 0.5)


def labels_of_mean_logits(company: Company) -> Attained:
    """Return the share of a client's samples whose label the counts beside its logits tell."""
    _, counts = _told(company)
    labels, classes = company.held.samples.labels.cpu().numpy(), company.held.classes
    true = label_counts(labels, company.rows, classes)
    told = share_right(true, list(counts.cpu().numpy().astype(int)))
    balanced = [blind_counts(classes, len(rows)) for rows in company.rows]
    blind = float(np.mean(share_right(true, balanced)))
    return Attained("label recovery", "server", "share of labels right", told, blind)


def membership_in_mean_logits(company: Company) -> Attained:
    """Return how well mean logits alone tell whether a sample is among a client's own.

    A candidate scores by how sure the client's mean logits of its label are of that label: they are
    where the client has such samples, and all 0 where it has none.
    """
    means, _ = _told(company)
    sure = _margins(means).cpu().numpy()
    own, test = (held.labels.cpu().numpy() for held in (company.held.samples, company.held.test))
    found = [
        separation(sure[client][own[rows]], sure[client][test]).auc
        for client, rows in enumerate(company.rows)
    ]
    return Attained("membership", "server", "AUC", found, 0.5)


def _told(company: Company) -> tuple[Tensor, Tensor]:
    """Return the mean logits by label (C, N, N) and counts (C, N) that clients sent last."""
    held = company.held
    return label_means(company.models, held.samples, company.rows, held.classes)


def _margins(means: Tensor) -> Tensor:
    """Return by how much mean logits (C, N, N) of each label prefer it to the next, (C, N)."""
    own = means.diagonal(dim1=1, dim2=2)
    apart = torch.eye(means.shape[-1], dtype=torch.bool, device=means.device)
    return own - means.masked_fill(apart, -torch.inf).amax(-1)


def seeds_of_generator(company: Company, seeds: int) -> Attained:
    """Return how far the generator's mean of its label is from a seed; blind by the test mean.

    The server has the seeds as they are; this is what every other client gets of them.
    """
    labels = company.held.samples.labels.cpu().numpy()
    mean = company.held.test.at(np.arange(len(company.held.test.labels))).inputs.mean(0)
    chosen = [
        seeds_of(rows, labels, seeds, company.post.seed, client)
        for client, rows in enumerate(company.rows)
    ]
    generator = fitted(company.held.samples.at(np.concatenate(chosen)), company.held.classes)
    sent = [company.held.samples.at(rows) for rows in chosen]
    guessed = [generator.centre + generator.means[own.labels] @ generator.basis for own in sent]
    error = [_distance(own.inputs, at) for own, at in zip(sent, guessed, strict=True)]
    blind = float(np.mean([_distance(own.inputs, mean) for own in sent]))
    return Attained("inversion", "other client", "mean squared error", error, blind, lower=True)


def _distance(sent: Tensor, guessed: Tensor) -> float:
    return float((sent - guessed.reshape(-1, *sent.shape[1:])).square().mean())
