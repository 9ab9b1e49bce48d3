"""Reading one array of a store: chunk by chunk, each verified, several at once."""

import os
from collections import deque
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import zarr

from fbftl.features.store.location import MissingChunkError
from fbftl.features.store.manifest import AGAIN
from fbftl.ground.errors import UserError

READS_AT_ONCE = min(8, 2 * (os.cpu_count() or 1))
"""Chunks being read and decoded at a time; decoding leaves Python's lock."""


class CheckedArray:
    """An array whose every chunk is checked as it is read: its checksum, and where the store was
    opened by its manifest the SHA-256 that this gives.

    Args:
        array: an array opened such that a missing or altered chunk raises (`Location.open_group`).
        store: the store's name in messages.
    """

    def __init__(self, array: zarr.Array, store: str) -> None:
        self._array = array
        self._store = store
        self.shape = array.shape
        self.dtype = array.dtype
        self.rows_per_chunk = array.chunks[0]
        self.chunk_count = -(-self.shape[0] // self.rows_per_chunk)

    def __len__(self) -> int:
        return self.shape[0]

    def read(self, rows: slice | np.ndarray) -> np.ndarray:
        """Return rows, reading only the chunks that they touch.

        Args:
            rows: a contiguous slice, or row numbers (int) in any order, repeats allowed.

        Raises:
            IndexError: if a row number is negative or too large.
            UserError: naming store, array and chunk if a chunk is missing or damaged.
        """
        if isinstance(rows, slice):
            start, stop, _ = rows.indices(len(self))
            return self._read_slice(start, max(start, stop))
        return self._read_index(np.asarray(rows, dtype=np.int64))

    def chunks(self) -> Iterator[np.ndarray]:
        """Yield the rows of each chunk in order, reading a few chunks ahead."""
        with ThreadPoolExecutor(READS_AT_ONCE) as pool:
            ahead: deque[Future[np.ndarray]] = deque()
            for number in range(self.chunk_count):
                ahead.append(pool.submit(self._chunk_rows, number))
                if len(ahead) == READS_AT_ONCE:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()

    def _read_slice(self, start: int, stop: int) -> np.ndarray:
        rows = np.empty((stop - start, *self.shape[1:]), self.dtype)

        def read_chunk(number: int) -> None:
            first, last = self._bounds(number)
            first, last = max(first, start), min(last, stop)
            rows[first - start : last - start] = self._decoded(number, slice(first, last))

        touched = range(start // self.rows_per_chunk, -(-stop // self.rows_per_chunk))
        self._in_parallel(read_chunk, touched if stop > start else [])
        return rows

    def _read_index(self, index: np.ndarray) -> np.ndarray:
        if len(index) and not 0 <= index.min() <= index.max() < len(self):
            raise IndexError(f"row numbers must be between 0 and {len(self) - 1}")
        rows = np.empty((len(index), *self.shape[1:]), self.dtype)
        places = places_by_chunk(index // self.rows_per_chunk)

        def read_chunk(number: int) -> None:
            where = places[number]
            rows[where] = self._decoded(number, index[where])

        self._in_parallel(read_chunk, places)
        return rows

    def _in_parallel(self, read_chunk: Callable[[int], None], numbers: Collection[int]) -> None:
        if len(numbers) <= 1:
            for number in numbers:
                read_chunk(number)
            return
        with ThreadPoolExecutor(READS_AT_ONCE) as pool:
            for _ in pool.map(read_chunk, numbers):
                pass

    def _bounds(self, number: int) -> tuple[int, int]:
        first = number * self.rows_per_chunk
        return first, min(first + self.rows_per_chunk, len(self))

    def _chunk_rows(self, number: int) -> np.ndarray:
        return self._decoded(number, slice(*self._bounds(number)))

    def _decoded(self, number: int, rows: slice | np.ndarray) -> np.ndarray:
        """Return rows of one chunk, given by their numbers in the array."""
        try:
            return self._array.oindex[rows]
        except MissingChunkError:
            reason = "is missing"
        except (ValueError, RuntimeError, IndexError, TypeError) as error:
            reason = f"is damaged ({str(error).rstrip('.')})"
        raise UserError(
            f"Chunk {number} of {self._array.path} in feature store {self._store} {reason}: "
            f"{AGAIN}."
        )


def places_by_chunk(chunk_of_row: np.ndarray) -> dict[int, np.ndarray]:
    """Return, per chunk number in ascending order, the places at which it occurs."""
    if not len(chunk_of_row):
        return {}
    by_chunk = np.argsort(chunk_of_row, kind="stable")
    touched, starts = np.unique(chunk_of_row[by_chunk], return_index=True)
    return dict(zip(touched.tolist(), np.split(by_chunk, starts[1:]), strict=True))
