"""New HDF5 files on a disk that may be full.

The HDF5 library ends the whole process by a segmentation fault when it cannot write what it holds
back until a file is closed. So it is given a file whose errors wait: it believes every write, and
what the system really said is raised when it has finished.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py

from fbftl.ground.files import replacing

TABLE_BYTES = 2**16
"""What HDF5 reads back at a time at most while it writes: headers, indices and heaps."""


@contextmanager
def new_hdf5(path: str | Path) -> Iterator[h5py.File]:
    """Yield a new file, in a format that is pinned: a newer HDF5 writes the same bytes.

    Raises:
        UserError: if it cannot be written; see `fbftl.ground.files.writing`.
    """
    with replacing(path) as temporary, _PatientFile(temporary, "w+b") as patient:
        with h5py.File(patient, "w", libver=("v110", "v110")) as file:
            yield file
        if patient.error is not None:
            raise patient.error


class _PatientFile(io.FileIO):
    """A file that remembers the first error of a write and goes on as if nothing were wrong.

    The library reads its own tables back while it writes, and ends the process where they are not
    there: small writes that failed are kept and read from memory. Samples are never read back.
    """

    error: OSError | None = None

    def __init__(self, path: str | Path, mode: str) -> None:
        super().__init__(path, mode)
        self._lost: list[tuple[int, bytes]] = []

    def write(self, content: memoryview) -> int:
        """Write all of some bytes."""
        left = memoryview(content).cast("B")
        size, place = len(left), self.tell()
        try:
            while len(left) and self.error is None:
                left = left[super().write(left) :]
        except OSError as error:
            self.error = error
        if self.error is not None and size <= TABLE_BYTES:
            self._lost.append((place, bytes(content)))
        return size

    def readinto(self, buffer: Any) -> int:
        """Read what was written or should have been; zeros where nothing was."""
        place, into = self.tell(), memoryview(buffer).cast("B")
        read = super().readinto(buffer) or 0
        if self.error is None:
            return read
        into[read:] = bytes(len(into) - read)
        for first, content in self._lost:
            start, end = max(first, place), min(first + len(content), place + len(into))
            if start < end:
                into[start - place : end - place] = content[start - first : end - first]
        return len(into)

    def truncate(self, size: int | None = None) -> int:
        """Give the file a size."""
        try:
            return super().truncate(size)
        except OSError as error:
            self.error = self.error or error
            return self.tell() if size is None else size
