"""A network that rounds of clients train: its gradients, its step, what it scores after an epoch.

How a round's gradient comes about: the plain batch gradient where nothing needs single updates,
every client's own update where something does. `training/split.py` has networks in two parts.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.models.digest import digest_of
from fbftl.models.modes import couples_samples
from fbftl.study.job import Training
from fbftl.training.batches import Round, Rounds
from fbftl.training.client_updates import client_updates, weighted_losses
from fbftl.training.curves import Curves
from fbftl.training.measures import Further
from fbftl.training.passes import Passes, RoundBatch, together
from fbftl.training.sgd import Sgd

EVALUATION_ROWS = 2048
"""Rows evaluated at once; bounds memory."""


class LabelledSamples(Protocol):
    """Labelled samples, of which a few at a time are inputs on the training device.

    labels: (n,) on the training device.
    domain: (n,) domain of each; None if the task has one only.
    """

    labels: Tensor
    domain: np.ndarray | None

    def at(self, rows: np.ndarray) -> "LabelledInputs":
        """Return some rows; the shape of `rows` takes the place of n."""


@dataclass(frozen=True)
class LabelledInputs:
    """Inputs (n, ...) with labels (n,): `LabelledSamples`.

    inputs: on the training device, or where there is room for them.
    labels: on the training device.
    """

    inputs: Tensor
    labels: Tensor
    domain: np.ndarray | None = None

    def at(self, rows: np.ndarray) -> "LabelledInputs":
        """Return some rows; the shape of `rows` takes the place of n."""
        places, device = torch.from_numpy(rows), self.labels.device
        inputs = self.inputs[places.to(self.inputs.device)].to(device)
        return LabelledInputs(inputs, self.labels[places.to(device)])


@dataclass(frozen=True)
class ReadSamples:
    """Those of a task's samples that were read, found by their rows in the task: `LabelledSamples`.

    samples: what was read.
    rows: (n,) the row of each in the task, ascending.
    """

    samples: LabelledInputs
    rows: np.ndarray
    domain: None = None

    @property
    def labels(self) -> Tensor:
        """(n,) labels of what was read."""
        return self.samples.labels

    def at(self, rows: np.ndarray) -> LabelledInputs:
        """Return some of the task's rows, which must have been read."""
        return self.samples.at(np.searchsorted(self.rows, rows))


@dataclass(frozen=True)
class Lessons:
    """What one repetition trains on.

    samples: the clients' samples.
    validation: rows of them that are held out.
    test: the test split.
    training: learning rate, momentum, weight decay.
    schedule: the rounds of each epoch, every client once an epoch.
    """

    samples: LabelledSamples
    validation: np.ndarray
    test: LabelledSamples
    training: Training
    schedule: Iterable[Rounds]


class TrainedNetwork:
    """A network that rounds of clients train by SGD: a `Learner` of `tasks.task`.

    Args:
        model: on the training device; its parameters are those that are trained, in place.
        lessons: what it trains on.
        passes: how a round's samples go through it.
    """

    def __init__(self, model: nn.Module, lessons: Lessons, passes: Passes = together) -> None:
        self.model, self.schedule, self.curves = model, lessons.schedule, Curves()
        self.parameters = list(model.parameters())
        self.lessons, self.passes = lessons, passes
        self._optimizer = Sgd(self.parameters, lessons.training)

    @property
    def diverged(self) -> bool:
        """Whether the loss has stopped being finite."""
        return self.curves.diverged

    def together(self, one: Round, arrives: np.ndarray) -> tuple[Tensor, list[Tensor]]:
        """Return loss and gradient of the mean loss over all arriving samples."""
        batch, weights = self.weighted(one, arrives)
        loss = torch.stack(
            [
                weighted_losses(self.model(inputs), labels, own).sum()
                for inputs, labels, own in self.passes(batch, weights)
            ]
        ).sum()
        return loss.detach(), list(torch.autograd.grad(loss, self.parameters))

    def apart(self, one: Round) -> tuple[Tensor, Tensor]:
        """Return the round's mean loss, and each client's sum of per-sample gradients (C, X)."""
        if not len(one.clients):  # Poisson sampling may take nobody
            numbers = sum(value.numel() for value in self.parameters)
            return torch.zeros(()), self.parameters[0].new_zeros(0, numbers)
        losses, updates = self._updates_of(self.batch(one))
        return losses.sum() / int(one.counts.sum()), updates

    def own(self, one: Round) -> np.ndarray:
        """Return the message (X,) of the one client of a round: its update g_u."""
        return self._updates_apart(self.batch(one))[1][0].cpu().numpy()

    def step(self, gradient: Sequence[Tensor]) -> None:
        """Take one step of SGD."""
        self._optimizer.step([value.contiguous() for value in gradient])

    def end_epoch(self, losses: Sequence[Tensor]) -> None:
        """Evaluate the network and add the epoch to the curves; no losses if it has diverged."""
        loss = sum(map(float, losses)) / max(len(losses), 1)
        lessons = self.lessons
        held = evaluated(self.model, lessons.samples, lessons.validation)
        test_accuracy, _ = evaluate(self.model, lessons.test, np.arange(len(lessons.test.labels)))
        self.curves.append(loss, *held, test_accuracy, digest_of(self.model))

    def further(self, epoch: int) -> Further:
        """Return what was measured at the chosen epoch, from 1, beside what every run has."""
        return Further()

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
            with self.passes.masked(batch.number):
                return updates_of(batch.inputs, batch.labels, batch.present)

        return updates

    def _updates_apart(self, batch: RoundBatch) -> tuple[Tensor, Tensor]:
        """Return each client's summed loss (C,) and update (C, X), from a pass of its own."""
        losses, found = [], []
        for inputs, labels, weights in self.passes(batch, batch.present.float()):
            loss = weighted_losses(self.model(inputs), labels, weights).sum()
            losses.append(loss.detach())
            gradients = torch.autograd.grad(loss, self.parameters)
            found.append(torch.cat([gradient.flatten() for gradient in gradients]))
        return torch.stack(losses), torch.stack(found)

    def batch(self, one: Round) -> RoundBatch:
        """Return a round's samples."""
        own = self.lessons.samples.at(one.rows)
        present = torch.from_numpy(one.present).to(own.labels.device)
        return RoundBatch(one.number, own.inputs, own.labels, present, one.clients, one.counts)

    def weighted(self, one: Round, arrives: np.ndarray) -> tuple[RoundBatch, Tensor]:
        """Return a round's samples and the weight of each (C, K) in the mean over what arrives."""
        batch = self.batch(one)
        counted = batch.present & torch.from_numpy(arrives).to(batch.present.device)[:, None]
        return batch, counted / counted.sum().clamp(min=1)


def evaluated(
    model: nn.Module, samples: LabelledSamples, rows: np.ndarray
) -> tuple[float | None, float | None]:
    """Return accuracy and mean loss of a model on some samples, None without any."""
    return evaluate(model, samples, rows) if len(rows) else (None, None)


@torch.no_grad()
def evaluate(
    model: Callable[[Tensor], Tensor], samples: LabelledSamples, rows: np.ndarray
) -> tuple[float, float]:
    """Return accuracy and mean loss of a model on some samples, at least one.

    Where normalisation takes a part's own statistics, a prediction depends on what is in the part:
    domains go through apart, each in parts of nearly equal size, since a last part of a few samples
    would have poor ones.
    """
    hits, loss = 0, 0.0
    for own in filter(len, by_domain(samples, rows)):
        for some in np.array_split(own, math.ceil(len(own) / EVALUATION_ROWS)):
            part = samples.at(some)
            logits = model(part.inputs)
            hits += int((logits.argmax(1) == part.labels).sum())
            loss += functional.cross_entropy(logits, part.labels, reduction="sum").item()
    return hits / len(rows), loss / len(rows)


def by_domain(samples: LabelledSamples, rows: np.ndarray) -> list[np.ndarray]:
    """Return those of some rows that are of each domain, of domain 0 first; all without any."""
    if samples.domain is None:
        return [rows]
    return [rows[samples.domain[rows] == domain] for domain in range(int(samples.domain.max()) + 1)]
