"""The client file: who holds which samples, one HDF5 file per task.

The layout is that of TensorFlow Federated, with one root group per split::

    train/examples/<client id>/<array>      one row per sample of that client
    test/examples/<client id>/<array>

Image tasks hold ``pixels`` (uint8, height x width x channels) and ``label`` (int64), tasks of
vectors the same (float32, 1 x 1 x width), text tasks
``dialogue``, ``summary`` and ``id`` (UTF-8 strings); every client also holds ``sample``, the row
numbers of its samples in the data set, and where the task has domains ``domain`` (int32), places
in the file's attribute ``domains``. A test set that no client owns lies with the one client
``server``. Equal content gives equal bytes.

Read as a table, a split's rows run client by client in the order of the client ids. A split of
very many clients is written as one, see `fbftl.data.client_table`.

Groups of people, by which fairness is judged, lie apart, since no message, store or run may tell
them: ``<split>/groups/<client id>``, int64, one per sample. Reading rows never meets them.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import h5py
import numpy as np

from fbftl.data.client_table import BLOCK_BYTES, MANY, ClientTable, Rows, TableWriter
from fbftl.data.examples import Examples, explaining_damage
from fbftl.data.hdf5 import new_hdf5
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_digest

SERVER = "server"
"""Id of the one client that holds a test set which belongs to nobody."""


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


def valid_id(client: str) -> bool:
    """Tell whether a client id can serve as a group name: no slash, no leading dot, no blanks."""
    return re.fullmatch(r"\w[\w.+@-]{0,127}", client) is not None


def write_clients(
    path: str | Path,
    splits: Mapping[str, Iterable[Client]],
    attributes: Mapping[str, str] | None = None,
) -> None:
    """Write a client file, atomically, one client at a time, and beside it its digest.

    Args:
        path: the file to make.
        splits: split name (``train``, ``test``) to its clients, in the order of their ids where
            they are many; those whose number is known and above `MANY` lie as one table.
        attributes: facts about the data set, kept as attributes of the file.

    Raises:
        UserError: on an id that `valid_id` refuses, a client without samples, arrays of unequal
            length, a text that HDF5 cannot hold, or a split without clients.
    """
    with new_hdf5(path) as file:
        file.attrs.update(attributes or {})
        for split, clients in splits.items():
            if isinstance(clients, Sized) and len(clients) > MANY:
                _write_table(file.create_group(f"{split}/table"), clients)
            else:
                _write_examples(file, split, clients)
    write_digest(path)


def _write_table(table: h5py.Group, clients: Iterable[Client]) -> None:
    with TableWriter(table) as writer:
        for client in clients:
            writer.add(client.id, _columns(client), client.group)


def _write_examples(file: h5py.File, split: str, clients: Iterable[Client]) -> None:
    examples = file.create_group(f"{split}/examples")
    for client in clients:
        columns = _columns(client)
        group = examples.create_group(client.id)
        for name, column in columns.items():
            if isinstance(column, list | tuple):
                _write_strings(group, name, column)
            else:
                _write_rows(group, name, column)
        if client.group is not None:
            groups = file.require_group(f"{split}/groups")
            groups.create_dataset(client.id, data=client.group, track_times=False)
    if not len(examples):
        raise UserError(f"split {split!r} has no clients; give it at least one")


def _columns(client: Client) -> dict[str, Any]:
    """Return all arrays of a client, each with one row per sample.

    Raises:
        UserError: if its id cannot be used, it has no samples, or arrays of unequal length.
    """
    if not valid_id(client.id):
        raise UserError(
            f"client id {client.id!r} cannot name a group of a client file; "
            "use letters, digits, and . _ - + @, at most 128 of them"
        )
    if not len(client.sample):
        raise UserError(f"client {client.id} has no samples; leave it out")
    columns = {"sample": np.asarray(client.sample, dtype=np.int64), **client.arrays}
    for name, column in columns.items():
        length = len(column) if isinstance(column, list | tuple) else column.shape[0]
        if length != len(client.sample):
            raise UserError(
                f"client {client.id} has {length} rows of {name!r} "
                f"for {len(client.sample)} samples; give one row per sample"
            )
    return columns


def _write_rows(group: h5py.Group, name: str, column: Rows) -> None:
    length, *row = column.shape
    block = max(BLOCK_BYTES // max(column.dtype.itemsize * math.prod(row), 1), 1)
    if length <= block:
        group.create_dataset(name, data=column[0:length], track_times=False)
        return
    dataset = group.create_dataset(name, column.shape, column.dtype, track_times=False)
    for first in range(0, length, block):
        dataset[first : first + block] = column[first : first + block]


def _write_strings(group: h5py.Group, name: str, texts: Sequence[str]) -> None:
    try:
        group.create_dataset(name, data=texts, dtype=h5py.string_dtype(), track_times=False)
    except (ValueError, UnicodeEncodeError) as error:
        client = group.name.rsplit("/", 1)[-1]
        raise UserError(
            f"client {client} has a text in {name!r} with a NUL or a lone surrogate character, "
            "which HDF5 cannot hold; remove it"
        ) from error


class ClientFile:
    """A client file, open for reading; close it, or use it in a ``with`` block.

    A split's groups are checked once, when the split is first used.

    Raises:
        UserError: if the file is missing, is not HDF5, is cut short or has no split.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise UserError(f"client file {path} is missing; run the workflow to make it")
        with explaining_damage(f"client file {path}"):
            self._file = h5py.File(self.path, "r")
            self.splits = tuple(
                split
                for split in self._file
                if isinstance(self._file.get(f"{split}/examples"), h5py.Group)
                or isinstance(self._file.get(f"{split}/table"), h5py.Group)
            )
        if not self.splits:
            self.close()
            raise UserError(f"client file {path} has no group <split>/examples; make it anew")
        self._examples: dict[str, Examples | ClientTable] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def attributes(self) -> dict[str, Any]:
        """Facts about the data set, as given to `write_clients`."""
        return dict(self._file.attrs)

    def examples(self, split: str) -> Examples | ClientTable:
        """Return a split's table.

        Raises:
            UserError: on an unknown split, a missing group or array, or arrays of unequal length.
        """
        if split not in self.splits:
            raise UserError(
                f"client file {self.path} has no split {split!r}; choose one of {self.splits}"
            )
        if split not in self._examples:
            table = self._file.get(f"{split}/table")
            examples = ClientTable(table) if table else Examples(self._file[f"{split}/examples"])
            if "sample" not in examples.columns:
                raise UserError(
                    f"client file {self.path} holds no array 'sample' for its clients of "
                    f"{split!r}; make it anew"
                )
            self._examples[split] = examples
        return self._examples[split]

    def client_ids(self, split: str) -> list[str]:
        """Return the ids of a split's clients in row order."""
        return self.examples(split).ids

    def samples_per_client(self, split: str) -> np.ndarray:
        """Return K_u of every client in row order, int64 [clients]."""
        return self.examples(split).counts

    def domains(self, split: str) -> np.ndarray | None:
        """Return the domain of each row, int32 [n], or None if the task has one only."""
        has_domains = "domain" in self.examples(split).columns
        return self.column(split, "domain") if has_domains else None

    def groups(self, split: str) -> np.ndarray | None:
        """Return the group of each row, int64 [n], or None if the task has none.

        For who judges results by group, and for nothing that sends.

        Raises:
            UserError: if a client lacks its groups.
        """
        examples = self.examples(split)
        if isinstance(examples, ClientTable):
            return examples.groups()
        if f"{split}/groups" not in self._file:
            return None
        with explaining_damage(f"client file {self.path}"):
            groups = [
                self._file[f"{split}/groups/{client}"][:] for client in self.client_ids(split)
            ]
        return np.concatenate(groups)

    def count(self, split: str) -> int:
        """Return the number of samples of a split."""
        return self.examples(split).count

    def rows(self, split: str, first: int, last: int) -> RowBatch:
        """Return rows ``first:last`` of a split, across client borders."""
        examples = self.examples(split)
        arrays = examples.rows(first, last)
        return RowBatch(arrays, examples.owners(first, last), arrays.pop("sample"))

    def batches(self, split: str, size: int, start: int = 0) -> Iterator[RowBatch]:
        """Yield a split's rows from row `start` on, `size` at a time, the last batch shorter.

        Only one batch is in memory at a time. The batches of a walk that starts at ``start`` are
        the rows that any other walk gives, so an interrupted walk goes on where it was.
        """
        count = self.count(split)
        for first in range(start, count, size):
            yield self.rows(split, first, min(first + size, count))

    def column(self, split: str, name: str) -> np.ndarray | list[str]:
        """Return one array of a whole split, e.g. its labels; the rest stays unread."""
        examples = self.examples(split)
        return examples.rows(0, examples.count, (name,))[name]

    def numbers(self, split: str, name: str) -> np.ndarray:
        """Return one array of numbers of a whole split, as `column`.

        Raises:
            TypeError: if it holds texts.
        """
        column = self.column(split, name)
        if isinstance(column, list):
            raise TypeError(f"{name} of the {split} samples are texts, not numbers")
        return column

    def image(self) -> tuple[int, int, int]:
        """Return height, width and channels of the images."""
        return self.rows("train", 0, 1).arrays["pixels"].shape[1:]

    def classes(self) -> int:
        """Return the number of classes N, counted by the labels of both splits."""
        return 1 + max(int(max(self.column(split, "label"))) for split in ("train", "test"))
