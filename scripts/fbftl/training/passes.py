"""How a round's samples pass through the network: all at once, or client by client.

At once is faster and says the same wherever a sample's output depends on nothing but the sample.
Under dropout and under normalisation by the batch it does not: then every client has its own
passes, so that its masks are its own and no client's statistics reach another. FL and SFL walk
through a round alike, which keeps them equal.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.ground.devices import seed_dropout
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import torch_seed
from fbftl.models.modes import couples_samples, dropping, normalise_by_batch
from fbftl.study.job import Training


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
