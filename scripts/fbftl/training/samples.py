"""Labelled samples as training reads them, and how a round's samples pass through the network.

At once is faster and says the same wherever a sample's output depends on nothing but the sample.
Under dropout and under normalisation by the batch it does not: then every client has its own
passes, so that its masks are its own and no client's statistics reach another. FL and SFL walk
through a round alike, which keeps them equal.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.ground.devices import seed_dropout
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import torch_seed
from fbftl.models.modes import couples_samples, dropping, normalise_by_batch
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


@dataclass(frozen=True)
class RoundBatch:
    """The samples that take part in one round, on the training device.

    round_index: from 0 over all epochs.
    inputs: (C, K, ...) samples of C clients, padded to K.
    labels: (C, K).
    present: (C, K) booleans, False on padding.
    clients: (C,) clients.
    counts: (C,) samples K_u of each.
    """

    round_index: int
    inputs: Tensor
    labels: Tensor
    present: Tensor
    clients: np.ndarray
    counts: np.ndarray


Pass = tuple[Tensor, Tensor, Tensor]
"""Inputs (n, ...), labels (n,) and weights (n,) of samples that go through the network together."""

Passes = Callable[[RoundBatch, Tensor], Iterator[Pass]]
"""From a round and each sample's weight (C, K) to the passes that it takes, which must be made in
turn: what a pass draws is decided when it is taken."""


def together(batch: RoundBatch, weights: Tensor) -> Iterator[Pass]:
    """Yield one pass with all clients' samples; padding has no weight."""
    yield batch.inputs.flatten(0, 1), batch.labels.flatten(), weights.flatten()


@dataclass(frozen=True)
class ClientByClient:
    """The passes that every client makes alone, in the order of the round's clients.

    seed: the repetition's; with the round and the client it decides the masks.
    models: what the samples pass through.
    dropout: whether dropout acts.
    """

    seed: int
    models: tuple[nn.Module, ...]
    dropout: bool

    def __call__(self, batch: RoundBatch, weights: Tensor) -> Iterator[Pass]:
        """Yield each client's pass.

        Raises:
            UserError: at the pass of a client whose one sample has no statistics.
        """
        least = 2 if any(map(couples_samples, self.models)) else 1
        with self._dropping():
            for index, client in enumerate(batch.clients):
                if batch.counts[index] < least:
                    raise UserError(
                        f"client {client} has one sample in a round, of which batch normalisation "
                        "makes nothing; give samples_per_client at least 2, or "
                        "training.batch_norm: frozen"
                    )
                present = batch.present[index]
                with self._drawing(batch.round_index, int(client)):
                    yield (
                        batch.inputs[index][present],
                        batch.labels[index][present],
                        weights[index][present],
                    )

    @contextmanager
    def masked(self, *keys: int) -> Iterator[None]:
        """Let dropout act in the block, if it does, by masks of these keys."""
        with self._dropping(), self._drawing(*keys):
            yield

    def _dropping(self) -> AbstractContextManager[None]:
        return dropping(*self.models if self.dropout else ())

    @contextmanager
    def _drawing(self, *keys: int) -> Iterator[None]:
        """Draw masks by these keys in the block, and leave torch's generators as they were."""
        with torch.random.fork_rng():
            seed_dropout(torch_seed(self.seed, "dropout", *keys))
            yield


def passes_of(training: Training, seed: int, *models: nn.Module) -> Passes:
    """Return the passes that the training values ask for, and prepare the models for them."""
    if training.batch_norm == "batch":
        for model in models:
            normalise_by_batch(model)
    if training.dropout or any(map(couples_samples, models)):
        return ClientByClient(seed, models, training.dropout)
    return together
