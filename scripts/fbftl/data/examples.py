"""One `examples` group of a federated HDF5 file, read as a long table.

TensorFlow Federated's layout is ``examples/<client id>/<array>``. There may be thousands of
clients with a handful of samples each, so that opening objects is what reading costs: this module
uses h5py's low-level calls (a third of the time) and reads straight into the batch.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import h5py
import numpy as np

from fbftl.ground.errors import UserError

MAX_COMPRESSION = 1100
"""No filter of HDF5 packs harder than this (deflate: 1,032), so a file that claims more lies."""


@contextmanager
def explaining_damage(where: str) -> Iterator[None]:
    """Turn whatever h5py raises on a damaged file into one sentence that starts with `where`."""
    try:
        yield
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, MemoryError) as error:
        raise UserError(f"{where} is damaged or not HDF5; make the file anew") from error


@dataclass(frozen=True)
class RowType:
    """Type and shape of one array's rows, the same for every client."""

    dtype: np.dtype
    shape: tuple[int, ...]

    @property
    def is_text(self) -> bool:
        """Whether rows are strings."""
        return h5py.check_string_dtype(self.dtype) is not None

    @property
    def row_bytes(self) -> int:
        """Bytes of one row in memory."""
        return self.dtype.itemsize * int(np.prod(self.shape))


def require_credible(where: str, group: h5py.Group, columns: Iterable[RowType], rows: int) -> None:
    """Refuse more rows than a file of its size can hold, before memory is asked for them.

    Raises:
        UserError: naming the bytes that it claims.
    """
    claimed = sum(column.row_bytes for column in columns) * rows
    if claimed > MAX_COMPRESSION * group.file.id.get_filesize():
        raise UserError(
            f"{where}, claims {claimed} bytes, which a file of this size cannot hold; make it anew"
        )


class ByClient:
    """Rows that run client by client.

    ids: client ids in row order.
    counts: samples per client, int64 [clients].
    count: samples of all clients.
    columns: name to type and shape of one row.
    """

    ids: list[str]
    counts: np.ndarray
    count: int
    columns: dict[str, RowType]
    _ends: np.ndarray
    _where: str

    def owners(self, first: int, last: int) -> np.ndarray:
        """Return the position in `ids` of the client of each row ``first:last``, int32."""
        rows = np.arange(first, min(last, self.count))
        return np.searchsorted(self._ends, rows, side="right").astype(np.int32)

    def require_column(self, name: str) -> None:
        """Refuse an array that there is not.

        Raises:
            UserError: naming those that there are.
        """
        if name not in self.columns:
            raise UserError(
                f"{self._where}, holds no array {name!r}; choose one of {sorted(self.columns)}"
            )


class Examples(ByClient):
    """The clients of one group, in the order of their names, and their samples as one table.

    Args:
        group: the group ``examples``.
        names: the arrays wanted; by default those of the first client.

    Raises:
        UserError: on a group without clients, a client without a wanted array, with arrays of
            unequal length, or with rows of another type or shape than the first client's.
    """

    def __init__(self, group: h5py.Group, names: Sequence[str] | None = None) -> None:
        self._group = group.id
        self._where = f"{group.file.filename}, group {group.name}"
        with explaining_damage(self._where):
            self._survey(group, names)

    def _survey(self, group: h5py.Group, names: Sequence[str] | None) -> None:
        """Compare every client's arrays with the first client's."""
        self.ids = list(group)
        if not self.ids:
            raise UserError(f"{self._where}, has no clients; put one group per client there")
        first = group.get(self.ids[0])
        if names is None:
            names = sorted(first) if isinstance(first, h5py.Group) else ()
        if not names:
            raise UserError(
                f"{self._where}: client {self.ids[0]!r} holds no arrays; "
                "put one group of arrays per client there"
            )
        self.columns = {name: self._column(self.ids[0], name) for name in names}
        self.counts = np.array([self._length(client) for client in self.ids], dtype=np.int64)
        self._ends = np.cumsum(self.counts)
        self.count = int(self._ends[-1])
        require_credible(self._where, group, self.columns.values(), self.count)

    def rows(
        self, first: int, last: int, names: Sequence[str] | None = None
    ) -> dict[str, np.ndarray | list[str]]:
        """Return rows ``first:last`` of the wanted arrays, across client borders.

        Raises:
            UserError: on an array that the clients do not hold, or if the file cannot be read.
        """
        last = min(last, self.count)
        first = min(first, last)
        parts = self._parts(first, last)
        with explaining_damage(self._where):
            return {name: self._read(name, parts, last - first) for name in names or self.columns}

    def _parts(self, first: int, last: int) -> list[tuple[str, int, int]]:
        """Cut rows ``first:last`` at the client borders: client id, its first and last row."""
        parts = []
        for position in range(int(np.searchsorted(self._ends, first, side="right")), len(self.ids)):
            start = int(self._ends[position] - self.counts[position])
            if start >= last:
                break
            low, high = max(first - start, 0), min(last - start, int(self.counts[position]))
            if high > low:
                parts.append((self.ids[position], low, high))
        return parts

    def _read(
        self, name: str, parts: list[tuple[str, int, int]], length: int
    ) -> np.ndarray | list[str]:
        self.require_column(name)
        column = self.columns[name]
        if column.is_text:
            return [
                text
                for client, low, high in parts
                for text in h5py.Dataset(self._open(client, name)).asstr()[low:high].tolist()
            ]
        out = np.empty((length, *column.shape), dtype=column.dtype)
        filled = 0
        for client, low, high in parts:
            dataset = self._open(client, name)
            chosen = dataset.get_space()
            shape = (high - low, *column.shape)
            chosen.select_hyperslab((low, *(0 for _ in column.shape)), shape)
            rows = out[filled : filled + high - low]
            dataset.read(h5py.h5s.create_simple(shape), chosen, rows)
            filled += high - low
        return out

    def _open(self, client: str, name: str) -> h5py.h5d.DatasetID:
        try:
            return h5py.h5d.open(self._group, f"{client}/{name}".encode())
        except (KeyError, ValueError, TypeError):
            raise UserError(
                f"{self._where}: client {client!r} has no array {name!r}; make the file anew"
            ) from None

    def _column(self, client: str, name: str) -> RowType:
        dataset = self._open(client, name)
        if not dataset.shape:
            raise UserError(
                f"{self._where}: {name!r} of client {client!r} has no rows to count; "
                "store one row per sample"
            )
        return RowType(dataset.dtype, dataset.shape[1:])

    def _length(self, client: str) -> int:
        """Return K_u of a client after comparing its arrays with each other and the first's."""
        lengths = {}
        for name, column in self.columns.items():
            dataset = self._open(client, name)
            if dataset.shape[1:] != column.shape or not dataset.shape:
                raise UserError(
                    f"{self._where}: rows of {name!r} have the shape {dataset.shape[1:]} at client "
                    f"{client!r} and {column.shape} at client {self.ids[0]!r}; make them equal"
                )
            if dataset.dtype != column.dtype:
                raise UserError(
                    f"{self._where}: {name!r} is {dataset.dtype} at client {client!r} and "
                    f"{column.dtype} at client {self.ids[0]!r}; make them equal"
                )
            lengths[name] = dataset.shape[0]
        if len(set(lengths.values())) > 1:
            raise UserError(
                f"{self._where}: the arrays of client {client!r} have unequal lengths "
                f"{lengths}; make the file anew"
            )
        return lengths.popitem()[1]
