"""Labelled samples as training reads them, images among them; what a repetition trains on."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from fbftl.data.preprocess import Preprocessing, preprocess
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


SMALL = 2**26
"""Bytes of a network's inputs up to which all of them are kept."""


@dataclass(frozen=True, eq=False)
class Pictures:
    """Images as they are stored, preprocessed round by round: `training.network.LabelledSamples`.

    What a network takes may be a hundred times as large as what is stored. Where it is small, all
    images are preprocessed once.

    pixels: (n, height, width, channels).
    labels: (n,) on the training device.
    preprocessing: from pixels to the network's input.
    domain: (n,) domain of each; None if the task has one only.
    """

    pixels: np.ndarray
    labels: Tensor
    preprocessing: Preprocessing
    domain: np.ndarray | None = None

    def at(self, rows: np.ndarray) -> LabelledInputs:
        """Return some rows; the shape of `rows` takes the place of n."""
        labels = self.labels[torch.from_numpy(rows).to(self.labels.device)]
        if self._all is not None:
            return LabelledInputs(self._all[torch.from_numpy(rows).to(self._all.device)], labels)
        # Clients with few samples are padded with the same row.
        distinct, places = np.unique(rows, return_inverse=True)
        of_rows = torch.from_numpy(places.reshape(rows.shape)).to(labels.device)
        return LabelledInputs(self._ready(distinct)[of_rows], labels)

    @cached_property
    def _all(self) -> Tensor | None:
        """The network's inputs of all images, None if they are not small."""
        image = self._ready(np.zeros(1, dtype=np.int64))
        whole = len(self.pixels) * image.numel() * image.element_size()
        return self._ready(np.arange(len(self.pixels))) if whole <= SMALL else None

    def _ready(self, rows: np.ndarray) -> Tensor:
        """Return the network's inputs of some images."""
        pixels = torch.from_numpy(self.pixels[rows]).to(self.labels.device)
        return preprocess(pixels, self.preprocessing)
