"""The client file: who holds which samples, one HDF5 file per task.

The samples of a split are one table, client by client in the order of the clients' ids::

    <split>/samples/<array>    one row per sample
    <split>/ids                the clients' ids
    <split>/ends               int64, the row behind each client's last
    <split>/groups             int64, one per sample, where people are judged by groups

Image tasks hold ``pixels`` (uint8, height x width x channels) and ``label`` (int64), tasks of
vectors the same (float32, 1 x 1 x width), text tasks
``dialogue``, ``summary`` and ``id`` (UTF-8 strings); every task also holds ``sample``, the row
numbers of its samples in the data set, and where it has domains ``domain`` (int32), places
in the file's attribute ``domains``. A test set that no client owns lies with the one client
``server``. Equal content gives equal bytes. Rows are appended block by block, so that memory grows
neither with the clients nor with their samples.

Groups of people, by which fairness is judged, lie apart, since no message, store or run may tell
them: reading rows never meets them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

import h5py
import numpy as np

from fbftl.data.datasets.base import explaining, valid_id
from fbftl.data.hdf5 import new_hdf5
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_digest

SERVER = "server"
"""Id of the one client that holds a test set which belongs to nobody."""

BLOCK_BYTES = 32 * 2**20
"""How much of an array is held in memory while it is written."""

CHUNK_BYTES = 2**20
"""Of a chunk in the file."""


class Rows(Protocol):
    """What an array to be written must offer: a NumPy array, or one decoded slice by slice."""

    shape: tuple[int, ...]
    dtype: np.dtype

    def __getitem__(self, rows: slice) -> np.ndarray: ...


@dataclass(frozen=True)
class Client:
    """One client to be written.

    id: its name, unique within the split; see `valid_id`.
    sample: row numbers of its samples in the data set, int64 [K_u].
    arrays: what it holds, one row (or string) per sample.
    group: group that each of its samples is judged by, int64 [K_u]; for evaluators only.
    """

    id: str
    sample: np.ndarray
    arrays: Mapping[str, Rows | Sequence[str]]
    group: np.ndarray | None = None


@dataclass(frozen=True)
class RowBatch:
    """Consecutive rows of a split.

    arrays: array name to rows: NumPy arrays, or lists of strings.
    client: position of each row's client in `ClientFile.client_ids`, int32 [rows].
    sample: row number of each sample in the data set, int64 [rows].
    """

    arrays: dict[str, np.ndarray | list[str]]
    client: np.ndarray
    sample: np.ndarray


def write_clients(
    path: str | Path,
    splits: Mapping[str, Iterable[Client]],
    attributes: Mapping[str, str] | None = None,
) -> None:
    """Write a client file, atomically, one client at a time, and beside it its digest.

    Args:
        path: the file to make.
        splits: split name (``train``, ``test``) to its clients, in the order of their ids.
        attributes: facts about the data set, kept as attributes of the file.

    Raises:
        UserError: on an id that `valid_id` refuses, a client without samples, arrays of unequal
            length, a text that HDF5 cannot hold, or a split without clients.
        ValueError: if a client does not come after the others.
    """
    with new_hdf5(path) as file:
        file.attrs.update(attributes or {})
        for split, clients in splits.items():
            _write_split(file.create_group(split), clients)
    write_digest(path)


def _write_split(split: h5py.Group, clients: Iterable[Client]) -> None:
    arrays: dict[str, _Growing] = {}
    ids: list[str] = []
    ends = [0]
    for client in clients:
        if ids and client.id <= ids[-1]:
            raise ValueError(f"client {client.id} comes after {ids[-1]}")
        for name, rows in _columns(client).items():
            if name not in arrays:
                arrays[name] = _Growing(split, name)
            arrays[name].add(rows)
        ids.append(client.id)
        ends.append(ends[-1] + len(client.sample))
    if not ids:
        raise UserError(f"split {split.name.strip('/')!r} has no clients; give it at least one")
    for array in arrays.values():
        array.write()
    split.create_dataset("ids", data=ids, dtype=h5py.string_dtype(), track_times=False)
    split.create_dataset("ends", data=np.array(ends[1:]), track_times=False)


class _Growing:
    """An array of a split, written whenever a block of rows waits."""

    def __init__(self, split: h5py.Group, name: str) -> None:
        self._split, self._name = split, name
        self._waiting: list[np.ndarray] = []
        self._bytes = 0

    def add(self, rows: Rows) -> None:
        """Add the rows of a client, decoded block by block."""
        length = rows.shape[0]
        row_bytes = rows.dtype.itemsize * int(np.prod(rows.shape[1:]))
        block = max(BLOCK_BYTES // max(row_bytes, 1), 1)
        for first in range(0, length, block):
            self._waiting.append(rows[first : min(first + block, length)])
            self._bytes += self._waiting[-1].nbytes
            if self._bytes >= BLOCK_BYTES:
                self.write()

    def write(self) -> None:
        """Write what waits."""
        if not self._waiting:
            return
        rows = np.concatenate(self._waiting)
        if self._name not in self._split:
            row = rows.shape[1:]
            self._split.create_dataset(
                self._name,
                (0, *row),
                h5py.string_dtype() if rows.dtype == object else rows.dtype,
                maxshape=(None, *row),
                chunks=(min(len(rows), max(1, CHUNK_BYTES // rows[:1].nbytes)), *row),
                track_times=False,
            )
        dataset = self._split[self._name]
        dataset.resize(len(dataset) + len(rows), axis=0)
        dataset[-len(rows) :] = rows
        self._waiting, self._bytes = [], 0


def _columns(client: Client) -> dict[str, Rows]:
    """Return all arrays of a client by their names in the split, each with one row per sample.

    Raises:
        UserError: if its id cannot be used, it has no samples, or arrays of unequal length.
    """
    if not valid_id(client.id):
        raise UserError(
            f"client id {client.id!r} cannot name a client; "
            "use letters, digits, and . _ - + @, at most 128 of them"
        )
    if not len(client.sample):
        raise UserError(f"client {client.id} has no samples; leave it out")
    columns: dict[str, Rows] = {"samples/sample": np.asarray(client.sample, dtype=np.int64)}
    for name, rows in client.arrays.items():
        column = _encoded(client.id, name, rows) if isinstance(rows, list | tuple) else rows
        if column.shape[0] != len(client.sample):
            raise UserError(
                f"client {client.id} has {column.shape[0]} rows of {name!r} "
                f"for {len(client.sample)} samples; give one row per sample"
            )
        columns[f"samples/{name}"] = column
    if client.group is not None:
        columns["groups"] = client.group
    return columns


def _encoded(client: str, name: str, texts: Sequence[str]) -> np.ndarray:
    """Return texts in UTF-8, as HDF5 takes them."""
    try:
        content = [text.encode() for text in texts]
    except UnicodeEncodeError:
        content = [b"\0"]
    if any(b"\0" in text for text in content):
        raise UserError(
            f"client {client} has a text in {name!r} with a NUL or a lone surrogate character, "
            "which HDF5 cannot hold; remove it"
        )
    return np.array(content, dtype=object)


class _Split:
    """A split of a client file, checked when it is first used.

    ids: client ids in row order.
    counts: samples per client, int64 [clients].
    arrays: HDF5's data sets by name.

    Raises:
        ValueError, KeyError: if anything is missing, or of another length than the clients' ends.
    """

    def __init__(self, group: h5py.Group) -> None:
        self.ids = group["ids"].asstr()[:].tolist()
        self.ends = group["ends"][:].astype(np.int64)
        self.groups = group.get("groups")
        self.arrays: dict[str, h5py.Dataset] = dict(group["samples"].items())
        self.counts = np.diff(self.ends, prepend=0)
        every = [*self.arrays.values(), *([] if self.groups is None else [self.groups])]
        lengths = {len(array) for array in every}
        if np.any(self.counts < 1) or len(self.ends) != len(self.ids):
            raise ValueError("its clients do not end in order")
        if lengths != {int(self.ends[-1])} or "sample" not in self.arrays:
            raise ValueError(f"arrays of {sorted(lengths)} rows for clients of {self.ends[-1]}")


class ClientFile:
    """A client file, open for reading; close it, or use it in a ``with`` block.

    Raises:
        UserError: if the file is missing, is not HDF5, or is cut short.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise UserError(f"client file {path} is missing; run the workflow to make it")
        with self._explaining():
            self._file = h5py.File(self.path, "r")
            self.splits = tuple(self._file)
        self._checked: dict[str, _Split] = {}

    def _explaining(self) -> AbstractContextManager[None]:
        return explaining(f"client file {self.path}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _split(self, split: str) -> _Split:
        """Return a split.

        Raises:
            UserError: if there is none of the name, or it is damaged.
        """
        if split not in self._checked:
            with self._explaining():
                self._checked[split] = _Split(self._file[split])
        return self._checked[split]

    def client_ids(self, split: str) -> list[str]:
        """Return the ids of a split's clients in row order."""
        return self._split(split).ids

    def samples_per_client(self, split: str) -> np.ndarray:
        """Return K_u of every client in row order, int64 [clients]."""
        return self._split(split).counts

    def owners(self, split: str) -> np.ndarray:
        """Return the position of each row's client in `client_ids`, int32 [n]."""
        counts = self._split(split).counts
        return np.repeat(np.arange(len(counts), dtype=np.int32), counts)

    def has(self, split: str, name: str) -> bool:
        """Tell whether a split has an array of a name."""
        return name in self._split(split).arrays

    def domains(self, split: str) -> np.ndarray | None:
        """Return the domain of each row, int32 [n], or None if the task has one only."""
        return self.numbers(split, "domain") if self.has(split, "domain") else None

    def groups(self, split: str) -> np.ndarray | None:
        """Return the group of each row, int64 [n], or None if the task has none.

        For who judges results by group, and for nothing that sends.
        """
        groups = self._split(split).groups
        with self._explaining():
            return None if groups is None else groups[:]

    def count(self, split: str) -> int:
        """Return the number of samples of a split."""
        return int(self._split(split).ends[-1])

    def rows(self, split: str, first: int, last: int) -> RowBatch:
        """Return rows ``first:last`` of a split, across client borders."""
        of_split = self._split(split)
        arrays = {name: self._read(split, name, first, last) for name in of_split.arrays}
        rows = np.arange(first, min(last, self.count(split)))
        client = np.searchsorted(of_split.ends, rows, side="right").astype(np.int32)
        return RowBatch(arrays, client, arrays.pop("sample"))

    def batches(self, split: str, size: int, start: int = 0) -> Iterator[RowBatch]:
        """Yield a split's rows from row `start` on, `size` at a time, the last batch shorter.

        Only one batch is in memory at a time. The batches of a walk that starts at ``start`` are
        the rows that any other walk gives, so an interrupted walk goes on where it was.
        """
        for first in range(start, self.count(split), size):
            yield self.rows(split, first, first + size)

    def column(self, split: str, name: str) -> np.ndarray | list[str]:
        """Return one array of a whole split, e.g. its labels; the rest stays unread."""
        return self._read(split, name, 0, self.count(split))

    def numbers(self, split: str, name: str) -> np.ndarray:
        """Return one array of numbers of a whole split, as `column`.

        Raises:
            TypeError: if it holds texts.
        """
        column = self.column(split, name)
        if isinstance(column, list):
            raise TypeError(f"{name} of the {split} samples are texts, not numbers")
        return column

    def _read(self, split: str, name: str, first: int, last: int) -> np.ndarray | list[str]:
        of_split = self._split(split)
        with self._explaining():
            array = of_split.arrays[name]
            if h5py.check_string_dtype(array.dtype) is not None:
                return array.asstr()[first:last].tolist()
            return array[first:last]

    def image(self) -> tuple[int, int, int]:
        """Return height, width and channels of the images."""
        return self._split("train").arrays["pixels"].shape[1:]

    def classes(self) -> int:
        """Return the number of classes N, counted by the labels of both splits."""
        return 1 + max(int(max(self.column(split, "label"))) for split in ("train", "test"))
