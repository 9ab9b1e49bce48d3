"""A split of very many clients as one table: rows client by client, and the row where each ends.

A group for every client costs more to open than its handful of samples to read. So a split of more
than `MANY` clients lies in the client file as::

    <split>/table/rows/<array>    one row per sample, client by client in the order of their ids
    <split>/table/ids             the clients' ids
    <split>/table/ends            int64, the row behind each client's last
    <split>/table/groups          int64, one per sample; for evaluators only, read by nobody else

`fbftl.data.clients` reads both layouts alike. Rows are appended block by block, so that memory
grows neither with the clients nor with their samples.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, Self

import h5py
import numpy as np

from fbftl.data.examples import ByClient, RowType, explaining_damage, require_credible
from fbftl.ground.errors import UserError

MANY = 10_000
"""Clients of a split above which it is a table."""

BLOCK_BYTES = 32 * 2**20
"""How much of a file's arrays is held in memory while they are written."""

CHUNK_BYTES = 2**20
"""Of a chunk in the file."""


class Rows(Protocol):
    """What an array to be written must offer: a NumPy array, or one decoded slice by slice."""

    shape: tuple[int, ...]
    dtype: np.dtype

    def __getitem__(self, rows: slice) -> np.ndarray: ...


class TableWriter:
    """Appends clients to a split's table; a context, which writes what is left at its end."""

    def __init__(self, group: h5py.Group) -> None:
        self._group = group
        self._waiting: dict[str, list[np.ndarray]] = {}
        self._rows = self._written = self._bytes = 0
        self._ids: list[str] = []
        self._ends: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._write()
            names = h5py.string_dtype()
            self._group.create_dataset("ids", data=self._ids, dtype=names, track_times=False)
            self._group.create_dataset("ends", data=np.array(self._ends), track_times=False)

    def add(self, client: str, columns: Mapping[str, Rows], group: np.ndarray | None) -> None:
        """Add a client after those with smaller ids.

        Args:
            client: its id.
            columns: its arrays, all of one length and the same for every client; no texts.
            group: group of each sample, or None.

        Raises:
            ValueError: if it does not come after the others.
        """
        if self._ids and client <= self._ids[-1]:
            raise ValueError(f"client {client} comes after {self._ids[-1]}")
        length = len(columns["sample"])
        for name, column in columns.items():
            self._waiting.setdefault(f"rows/{name}", []).append(rows := column[0:length])
            self._bytes += rows.nbytes
        if group is not None:
            self._waiting.setdefault("groups", []).append(group)
        self._rows += length
        self._ids.append(client)
        self._ends.append(self._rows)
        if self._bytes >= BLOCK_BYTES:
            self._write()

    def _write(self) -> None:
        for name, parts in self._waiting.items():
            rows = np.concatenate(parts)
            if name not in self._group:
                fit = max(1, CHUNK_BYTES // rows[0].nbytes)
                self._group.create_dataset(
                    name,
                    (0, *rows.shape[1:]),
                    rows.dtype,
                    maxshape=(None, *rows.shape[1:]),
                    chunks=(fit, *rows.shape[1:]),
                    track_times=False,
                )
            self._group[name].resize(self._rows, axis=0)
            self._group[name][self._written :] = rows
        self._written, self._bytes, self._waiting = self._rows, 0, {}


class ClientTable(ByClient):
    """A split's table, read as `fbftl.data.examples.Examples` is.

    Raises:
        UserError: if anything is missing, or of another length than the clients' ends say.
    """

    def __init__(self, group: h5py.Group) -> None:
        self._group = group
        self._where = f"{group.file.filename}, group {group.name}"
        with explaining_damage(self._where):
            self.ids = group["ids"].asstr()[:].tolist()
            self._ends = group["ends"][:].astype(np.int64)
            self.columns = {
                name: RowType(rows.dtype, rows.shape[1:]) for name, rows in group["rows"].items()
            }
            self._require_whole()
        self.counts = np.diff(self._ends, prepend=0)
        self.count = int(self._ends[-1])

    def _require_whole(self) -> None:
        lengths = {name: len(rows) for name, rows in self._group["rows"].items()}
        ends = self._ends
        if not len(ends) or len(ends) != len(self.ids) or np.any(np.diff(ends, prepend=0) < 1):
            raise UserError(f"{self._where}: its clients do not end in order; make the file anew")
        if set(lengths.values()) != {int(ends[-1])}:
            raise UserError(
                f"{self._where}: arrays of {lengths} rows for clients of {ends[-1]}; "
                "make the file anew"
            )
        require_credible(self._where, self._group, self.columns.values(), int(ends[-1]))

    def rows(
        self, first: int, last: int, names: Sequence[str] | None = None
    ) -> dict[str, np.ndarray]:
        """Return rows ``first:last`` of the wanted arrays.

        Raises:
            UserError: on an array that there is not, or if the file cannot be read.
        """
        wanted = names or list(self.columns)
        for name in wanted:
            self.require_column(name)
        with explaining_damage(self._where):
            return {name: self._group[f"rows/{name}"][first:last] for name in wanted}

    def groups(self) -> np.ndarray | None:
        """Return the group of each row, int64 [n], or None if there are none."""
        with explaining_damage(self._where):
            return self._group["groups"][:] if "groups" in self._group else None
