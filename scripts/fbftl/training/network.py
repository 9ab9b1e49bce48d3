"""A network that rounds of clients train: its gradients, its step, what it scores after an epoch.

How a round's gradient comes about: the plain batch gradient where nothing needs single updates,
every client's own update where something does. `methods/sfl.py` has networks in two parts.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.ground.errors import UserError
from fbftl.models.heads import head_module
from fbftl.models.modes import couples_samples, digest_of
from fbftl.training.batches import Round
from fbftl.training.client_updates import client_updates, weighted_losses
from fbftl.training.curves import Curves, ExtraMeasures
from fbftl.training.optimisers import Sgd
from fbftl.training.samples import (
    LabelledSamples,
    Passes,
    ReadSamples,
    RoundBatch,
    TrainingData,
    by_domain,
    passes_of,
    together,
)
from fbftl.training.tasks.task import ClientSamples, LabelledFeatures, Repetition

EVALUATION_ROWS = 2048
"""Rows evaluated at once; bounds memory."""


class TrainedNetwork:
    """A network that rounds of clients train by SGD: a `Learner` of `tasks.task`.

    Args:
        model: on the training device; its parameters are those that are trained, in place.
        training_data: what it trains on.
        passes: how a round's samples go through it.

    Raises:
        UserError: if a domain has one sample to evaluate, which has no statistics to normalise by.
    """

    def __init__(
        self, model: nn.Module, training_data: TrainingData, passes: Passes = together
    ) -> None:
        if couples_samples(model):
            require_statistics(training_data)
        self.model, self.schedule, self.curves = model, training_data.schedule, Curves()
        self.parameters = list(model.parameters())
        self.training_data, self.passes = training_data, passes
        self._optimizer = Sgd(self.parameters, training_data.training)

    @property
    def diverged(self) -> bool:
        """Whether the loss has stopped being finite."""
        return self.curves.diverged

    def mean_gradient(self, round_: Round, arrives: np.ndarray) -> tuple[Tensor, list[Tensor]]:
        """Return loss and gradient of the mean loss over all arriving samples."""
        batch, weights = self.weighted(round_, arrives)
        loss = torch.stack(
            [
                weighted_losses(self.model(inputs), labels, sample_weights).sum()
                for inputs, labels, sample_weights in self.passes(batch, weights)
            ]
        ).sum()
        return loss.detach(), list(torch.autograd.grad(loss, self.parameters))

    def client_gradients(self, round_: Round) -> tuple[Tensor, Tensor]:
        """Return the round's mean loss, and each client's sum of per-sample gradients (C, X)."""
        if not len(round_.clients):  # Poisson sampling may take nobody
            numbers = sum(value.numel() for value in self.parameters)
            return torch.zeros(()), self.parameters[0].new_zeros(0, numbers)
        losses, updates = self._updates_of(self.batch(round_))
        return losses.sum() / int(round_.counts.sum()), updates

    def client_message(self, round_: Round) -> np.ndarray:
        """Return the message (X,) of the one client of a round: its update g_u."""
        return self._updates_apart(self.batch(round_))[1][0].cpu().numpy()

    def step(self, gradient: Sequence[Tensor]) -> None:
        """Take one step of SGD."""
        self._optimizer.step([value.contiguous() for value in gradient])

    def end_epoch(self, losses: Sequence[Tensor]) -> None:
        """Evaluate the network and add the epoch to the curves; no losses if it has diverged."""
        loss = sum(map(float, losses)) / max(len(losses), 1)
        training_data = self.training_data
        validation = evaluated(self.model, training_data.samples, training_data.validation)
        every_row = np.arange(len(training_data.test.labels))
        tested = evaluate(self.model, training_data.test, every_row)
        model = digest_of(self.model)
        self.curves.append(loss, *validation, tested.accuracy, model, tested.right)

    def restore(self) -> None:
        """Go back to the weights of the chosen epoch, where they are kept: here they are not."""

    def extra_measures(self, epoch: int) -> ExtraMeasures:
        """Return what is measured at the chosen epoch, from 1, beside what every run has."""
        return ExtraMeasures()

    @cached_property
    def _updates_of(self) -> Callable[[RoundBatch], tuple[Tensor, Tensor]]:
        """Each client's summed loss (C,) and update (C, X) in a round."""
        if couples_samples(self.model):
            return self._updates_apart
        updates_of = client_updates(self.model)

        def updates(batch: RoundBatch) -> tuple[Tensor, Tensor]:
            if self.passes is together:
                return updates_of(batch.inputs, batch.labels, batch.present)
            if batch.present.shape[1] > 1:
                return self._updates_apart(batch)
            # Clients of one sample each have masks of their own in one pass too.
            with self.passes.masked(batch.round_index):
                return updates_of(batch.inputs, batch.labels, batch.present)

        return updates

    def _updates_apart(self, batch: RoundBatch) -> tuple[Tensor, Tensor]:
        """Return each client's summed loss (C,) and update (C, X), from a pass of its own."""
        losses, updates = [], []
        for inputs, labels, weights in self.passes(batch, batch.present.float()):
            loss = weighted_losses(self.model(inputs), labels, weights).sum()
            losses.append(loss.detach())
            gradients = torch.autograd.grad(loss, self.parameters)
            updates.append(torch.cat([gradient.flatten() for gradient in gradients]))
        return torch.stack(losses), torch.stack(updates)

    def batch(self, round_: Round) -> RoundBatch:
        """Return a round's samples."""
        samples = self.training_data.samples.at(round_.rows)
        present = torch.from_numpy(round_.present).to(samples.labels.device)
        return RoundBatch(
            round_.index, samples.inputs, samples.labels, present, round_.clients, round_.counts
        )

    def weighted(self, round_: Round, arrives: np.ndarray) -> tuple[RoundBatch, Tensor]:
        """Return a round's samples and the weight of each (C, K) in the mean over what arrives."""
        batch = self.batch(round_)
        counted = batch.present & torch.from_numpy(arrives).to(batch.present.device)[:, None]
        return batch, counted / counted.sum().clamp(min=1)


def require_statistics(training_data: TrainingData) -> None:
    """Refuse a domain with one sample to evaluate; see `TrainedNetwork`."""
    test, held_out = training_data.test, training_data.validation
    every_row = np.arange(len(test.labels))
    parts = (*by_domain(test, every_row), *by_domain(training_data.samples, held_out))
    if 1 in map(len, parts):
        raise UserError(
            "a domain has one test or held-out sample, of which batch normalisation makes nothing; "
            "give more of them, or training.batch_norm: frozen"
        )


def evaluated(
    model: nn.Module, samples: LabelledSamples, rows: np.ndarray
) -> tuple[float | None, float | None]:
    """Return accuracy and mean loss of a model on some samples, None without any."""
    if not len(rows):
        return None, None
    tested = evaluate(model, samples, rows)
    return tested.accuracy, tested.loss


@dataclass(frozen=True, eq=False)
class Tested:
    """What a model is worth on n samples.

    right: (n,) whether each is classified rightly, by ascending rows.
    loss: mean cross-entropy.
    """

    right: np.ndarray
    loss: float

    @property
    def accuracy(self) -> float:
        """The share that is classified rightly."""
        return float(self.right.mean())


@torch.no_grad()
def evaluate(
    model: Callable[[Tensor], Tensor], samples: LabelledSamples, rows: np.ndarray
) -> Tested:
    """Return which of some samples, at least one, a model classifies rightly, and its mean loss.

    Where normalisation takes a part's own statistics, a prediction depends on what is in the part:
    domains go through apart, each in parts of nearly equal size, since a last part of a few samples
    would have poor ones.
    """
    order: list[np.ndarray] = []
    right: list[np.ndarray] = []
    loss = 0.0
    for domain_rows in filter(len, by_domain(samples, rows)):
        for some in np.array_split(domain_rows, math.ceil(len(domain_rows) / EVALUATION_ROWS)):
            part = samples.at(some)
            logits = model(part.inputs)
            order.append(some)
            right.append((logits.argmax(1) == part.labels).cpu().numpy())
            loss += functional.cross_entropy(logits, part.labels, reduction="sum").item()
    in_order = np.concatenate(right)[np.argsort(np.concatenate(order))]
    return Tested(in_order, loss / len(rows))


def whole_network(
    client_data: ClientSamples, repetition: Repetition, extractor: nn.Module, head: nn.Module
) -> TrainedNetwork:
    """Return extractor and head as one network, all of it trained."""
    network = nn.Sequential(extractor, head)
    passes = passes_of(repetition.job.network_training, repetition.seed, network)
    return TrainedNetwork(
        network, client_data.training_data(repetition, client_data.samples), passes
    )


def transferred_network(client_data: ClientSamples, repetition: Repetition) -> TrainedNetwork:
    """Return the source model up to the cut and a new head, all of it trained."""
    head = client_data.target.head(repetition.job, repetition.seed)
    return whole_network(client_data, repetition, client_data.target.transferred(), head)


def head_network(client_data: LabelledFeatures, repetition: Repetition) -> TrainedNetwork:
    """Return a perceptron on features of samples that have a class each."""
    widths = [client_data.width, *repetition.job.block["head"], client_data.classes]
    model = head_module(widths, repetition.seed).to(client_data.inputs.device)
    samples = ReadSamples(client_data.samples, client_data.rows)
    return TrainedNetwork(model, client_data.training_data(repetition, samples))
