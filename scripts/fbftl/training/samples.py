"""Labelled samples as training reads them, and what one repetition trains on."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from fbftl.study.job import Training
from fbftl.training.batches import Rounds


class LabelledSamples(Protocol):
    """Labelled samples, of which a few at a time are inputs on the training device."""

    @property
    def labels(self) -> Tensor:
        """Class of each on the training device (n,)."""

    @property
    def domain(self) -> np.ndarray | None:
        """Domain of each (n,); None if the task has one only."""

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
class TrainingData:
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


def by_domain(samples: LabelledSamples, rows: np.ndarray) -> list[np.ndarray]:
    """Return those of some rows that are of each domain, of domain 0 first; all without any."""
    if samples.domain is None:
        return [rows]
    return [rows[samples.domain[rows] == domain] for domain in range(int(samples.domain.max()) + 1)]
