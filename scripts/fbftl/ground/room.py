"""Room for large arrays: RAM up to a bound, unnamed files beyond it.

An array in a file is read where it is asked for, row by row, and the system keeps of it what there
is memory for; who works with it need not know.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from fbftl.ground.errors import UserError

GIGABYTE = 10**9

PART_BYTES = 2**26
"""Bytes of an array in a file that are made at a time."""


@dataclass(frozen=True)
class Room:
    """Where arrays go.

    memory: bytes that one array may take in RAM; None sets no bound.
    folder: where files go; None if there is no such folder.
    """

    memory: int | None = None
    folder: Path | None = None

    def fits(self, shape: tuple[int, ...], dtype: DTypeLike = np.float32) -> bool:
        """Return whether an array goes to RAM."""
        return self.memory is None or bytes_of(shape, dtype) <= self.memory

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike = np.float32) -> np.ndarray:
        """Return an array without values, in RAM or in a file that goes with it.

        Raises:
            UserError: if it needs a file, and there is no folder or not enough room in it.
        """
        if self.fits(shape, dtype):
            return np.empty(shape, dtype)
        if self.folder is None:
            raise UserError(
                f"training needs an array of {bytes_of(shape, dtype) / 1e9:.3g} GB, and memory is "
                f"{self.memory / 1e9:.3g} GB; name a folder with that much room as scratch_folder "
                "in the config, or raise memory"
            )
        return mapped(shape, self.folder, dtype)

    def rows(
        self,
        shape: tuple[int, ...],
        make: Callable[[slice], np.ndarray],
        dtype: DTypeLike = np.float32,
    ) -> np.ndarray:
        """Return an array of rows that `make` gives: all at once in RAM, else part by part."""
        if self.fits(shape, dtype):
            return make(slice(0, shape[0]))
        array = self.empty(shape, dtype)
        for part in parts(shape, dtype):
            array[part] = make(part)
        return array


RAM = Room()
"""Room without a bound."""


def bytes_of(shape: tuple[int, ...], dtype: DTypeLike) -> int:
    """Return the bytes that an array takes."""
    return prod(shape) * np.dtype(dtype).itemsize


def parts(shape: tuple[int, ...], dtype: DTypeLike = np.float32) -> Iterator[slice]:
    """Yield the rows of an array, `PART_BYTES` at a time."""
    step = max(1, PART_BYTES // max(1, bytes_of(shape[1:], dtype)))
    for first in range(0, shape[0], step):
        yield slice(first, min(first + step, shape[0]))


def mapped(shape: tuple[int, ...], folder: Path, dtype: DTypeLike = np.float32) -> np.ndarray:
    """Return zeros in an unnamed file of a folder, which goes when the array is freed.

    Raises:
        UserError: if the folder does not have the room.
    """
    needed = bytes_of(shape, dtype)
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            # Reserved now: a full disk would kill the process at some later write.
            os.posix_fallocate(file.fileno(), 0, needed)
            return np.memmap(file, dtype=dtype, mode="r+", shape=shape)
    except OSError as error:
        raise UserError(
            f"{folder} has no room for {needed / 1e9:.3g} GB ({error.strerror}); name a "
            "larger scratch_folder in the config"
        ) from error
