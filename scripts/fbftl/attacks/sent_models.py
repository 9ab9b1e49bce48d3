"""What clients' models tell, sent or kept: who was trained on, scores, mean logits and seeds.

A repetition is run again with a server that keeps what it is sent: the weights of every client
in the last round, and their average, which all clients get.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from torch import Tensor

from fbftl.attacks.attained import Attained, labels_recovered
from fbftl.attacks.membership import auc, auc_by_losses, every
from fbftl.exchange.averaging import Server, by_samples, by_weights, weights_or_updates
from fbftl.exchange.personal import Cohort, personal_models
from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.uplink import Uplink
from fbftl.methods.fd import fitted, label_means, seeds_of
from fbftl.study.job import Job
from fbftl.training.batches import Round, Rounds
from fbftl.training.local_network import LocalNetwork
from fbftl.training.samples import LabelledInputs
from fbftl.training.tasks.task import ClientSamples, Repetition

Begin = Callable[[Repetition], LocalNetwork]

After = Callable[[LocalNetwork, Round, np.ndarray], None]
"""What a server does after a round whose clients' messages arrived or not, (C,)."""

Further = Callable[[Uplink], After]
"""What a setting's server does after every round of a repetition."""

OF_AVERAGE = "any client, of the average"
"""The adversary that no encryption of what is sent keeps out."""


@dataclass
class Watching:
    """A server that averages by samples and keeps what it has seen.

    make_learner: gives a repetition's learner.
    rows: of each client, once it has begun.
    weights: (C, X) sent in the last round.
    clients: (C,) who sent them.
    """

    make_learner: Begin
    learner: LocalNetwork | None = None
    rows: Sequence[np.ndarray] = ()
    weights: Tensor | None = None
    clients: Sequence[int] = ()

    def initialise(self, repetition: Repetition) -> LocalNetwork:
        """Begin and remember whom."""
        self.learner, self.rows = self.make_learner(repetition), repetition.clients
        return self.learner

    def average(self, weights: Tensor, counts: np.ndarray) -> Tensor:
        """Keep a round's weights; return their average."""
        self.weights = weights
        return by_samples(weights, counts)

    def run_first_seed(
        self, job: Job, client_data: ClientSamples, further: Further = lambda _: lambda *_: None
    ) -> None:
        """Run a setting's first seed.

        Args:
            job: the setting.
            client_data: what its clients hold.
            further: what its server does after every round beside averaging, given the uplink.
        """

        def train(learner: LocalNetwork, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
            also = further(uplink)

            def after(learner: LocalNetwork, round_: Round, arrives: np.ndarray) -> None:
                also(learner, round_, arrives)
                self.clients = round_.clients[arrives].tolist()

            server = Server(aggregate=self.average, after=after)
            return by_weights(lambda: server)(learner, uplink, schedule)

        alone = replace(job, seeds=job.seeds[:1])
        run_rounds(alone, client_data, self.initialise, weights_or_updates(job), None, train)


@torch.no_grad()
def membership_in_weights(watching: Watching, client_data: ClientSamples) -> list[Attained]:
    """Return how well losses under the last weights tell a client's own samples from test ones.

    First under those that it sent, as the server sees them in clear; then under their average,
    which every client sees, whatever protects what is sent.
    """
    average = watching.learner.weights()
    sides = [
        ("server, of a client's weights", list(watching.weights)),
        (OF_AVERAGE, [average] * len(watching.clients)),
    ]
    test = every(client_data.test)
    attained = []
    for adversary, weights in sides:
        aucs = []
        for client, client_weights in zip(watching.clients, weights, strict=True):
            watching.learner.set_weights(client_weights)
            members = client_data.samples.at(watching.rows[client])
            aucs.append(auc_by_losses(watching.learner.model, members, test))
        attained.append(Attained("membership", adversary, "AUC", aucs, 0.5))
    watching.learner.set_weights(average)
    return attained


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
    apart = torch.eye(means.shape[-1], dtype=torch.bool, device=means.device)
    next_best = means.masked_fill(apart, -torch.inf).amax(-1)
    sure = (means.diagonal(dim1=1, dim2=2) - next_best).cpu().numpy()
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
