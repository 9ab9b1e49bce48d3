"""Shuffled batches from a store that is larger than memory.

Blocks of neighbouring rows (one chunk each) are visited in random order. As many as fit the memory
bound make up a window; its rows are read in random order and handed out in batches, and rows that
do not fill a batch go to the next window. Every row comes once per pass. The order depends on the
seed, the rows and the memory bound alone.
"""

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from fbftl.features.store.arrays import READS_AT_ONCE, CheckedArray, places_by_chunk
from fbftl.features.store.features import Features
from fbftl.features.store.provenance import Provenance
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream

_COPIES_OF_A_CHUNK = 4
"""While it is read, a chunk exists as a file's bytes, decoded, gathered, and in Zarr's buffer."""


class Readable(Protocol):
    """What is asked of a feature store here."""

    name: str
    width: int
    provenance: Provenance

    def array(self, split: str, name: str) -> CheckedArray:
        """Return one of a split's arrays."""

    def lengths(self, split: str) -> np.ndarray:
        """Return the rows of features (n,) that each sample has."""

    def read(self, split: str, rows: np.ndarray) -> Features:
        """Return a split's samples in the order given."""


def shuffled_batches(
    store: Readable,
    split: str,
    batch: int,
    seed: int,
    memory_limit_bytes: int,
    rows: np.ndarray,
) -> Iterator[Features]:
    """Yield all of `rows` once, in batches of `batch` rows; only the last may be smaller.

    Args:
        store: where from.
        split: which split.
        batch: rows per batch.
        seed: of the order; use another one for each epoch.
        memory_limit_bytes: bound on the bytes of features held at a time. On top come at most three
            batches (the caller's, the next, and what a window leaves over) and the ids and offsets
            of the split, about 20 bytes per row.
        rows: row numbers; only chunks that they touch are read.

    Raises:
        UserError: if the bound is too small for a single block, naming the bound that would do.
    """
    order = stream(seed, "stream")
    left: Features | None = None
    for window in _windows(store, split, memory_limit_bytes, rows, order):
        features = store.read(split, window)
        start = 0
        if left is not None:
            start = min(batch - len(left), len(features))
            left = left.joined(features[:start])
            if len(left) == batch:
                yield left
                left = None
        while left is None and start + batch <= len(features):
            yield features[start : start + batch]
            start += batch
        if left is None and start < len(features):
            left = features[start:]
        del features  # before the next window is read
    if left is not None:
        yield left


def _windows(
    store: Readable,
    split: str,
    memory_limit_bytes: int,
    rows: np.ndarray,
    order: np.random.Generator,
) -> Iterator[np.ndarray]:
    """Yield the row numbers of one window after the other, shuffled."""
    array = store.array(split, "features")
    stored_unit = array.dtype.itemsize * store.width
    unit = 4 * store.width + (0 if store.provenance.dtype == "float32" else stored_unit)
    reading = READS_AT_ONCE * _COPIES_OF_A_CHUNK * array.rows_per_chunk * stored_unit
    budget = memory_limit_bytes - reading
    lengths = store.lengths(split)
    first_units = np.cumsum(lengths) - lengths
    places = places_by_chunk(first_units[rows] // array.rows_per_chunk)
    blocks = [rows[block] for block in places.values()]
    sizes = [unit * int(lengths[block].sum()) for block in blocks]
    if max(sizes, default=0) > budget:
        raise UserError(
            f"Streaming split {split} of feature store {store.name} takes at least "
            f"{reading + max(sizes)} bytes of memory and may use {memory_limit_bytes}: "
            "raise the memory limit."
        )
    window: list[np.ndarray] = []
    held = 0
    for number in order.permutation(len(blocks)):
        if held + sizes[number] > budget:
            yield order.permutation(np.concatenate(window))
            window, held = [], 0
        window.append(blocks[number])
        held += sizes[number]
    if window:
        yield order.permutation(np.concatenate(window))
