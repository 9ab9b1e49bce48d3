"""Batches of whole clients, those of like length together."""

import numpy as np

from fbftl.errors import UserError

WINDOW = 50
"""Batches among which clients are sorted by length; the rest of the order stays random."""


def epoch_batches(
    lengths: np.ndarray, clients: np.ndarray, batch_size: int, random: np.random.Generator
) -> list[np.ndarray]:
    """Return one epoch's batches in random order; each sample is in exactly one.

    A batch takes whole clients until the next would not fit: with K samples at every client it is
    one round of ``batch_size / K`` clients, so that FbFTL and FTL_c see the same batches. Clients
    are shuffled and then sorted by length within a window, so that little is padded.

    Args:
        lengths: length of each sample's input [n].
        clients: client of each sample [n].
        batch_size: most samples in a batch.
        random: the generator that shuffles.

    Returns:
        Arrays of sample positions.

    Raises:
        UserError: if a client has more samples than a batch.
    """
    order = np.argsort(clients, kind="stable")
    held = np.split(order, np.flatnonzero(np.diff(clients[order])) + 1)
    largest = max(len(samples) for samples in held)
    if largest > batch_size:
        raise UserError(
            f"a client has {largest} samples, more than the batch of {batch_size}; "
            "raise training.batch, or give clients fewer samples"
        )
    held = [held[i] for i in random.permutation(len(held))]
    window = max(WINDOW * batch_size * len(held) // len(lengths), 1)
    batches = []
    for first in range(0, len(held), window):
        near = sorted(held[first : first + window], key=lambda samples: lengths[samples].max())
        batches += _packed(near, batch_size)
    return [batches[i] for i in random.permutation(len(batches))]


def _packed(held: list[np.ndarray], batch_size: int) -> list[np.ndarray]:
    batches: list[list[np.ndarray]] = [[]]
    room = batch_size
    for samples in held:
        if len(samples) > room:
            batches.append([])
            room = batch_size
        batches[-1].append(samples)
        room -= len(samples)
    return [np.concatenate(batch) for batch in batches]
