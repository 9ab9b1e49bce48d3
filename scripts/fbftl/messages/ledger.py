"""The release ledger: one row per message that was really sent, and what became of it.

Payload, loss and privacy tables are derived from it. Rows are collected as columns and written as
one parquet file per run: constant columns cost nothing there, so that a paper-scale run (656,250
uploads) stays at a few bytes per row, or 32 more where a digest of the message is known. Whenever
`ROWS` have come together they go to a temporary file as one of its row groups, so that memory does
not grow with the messages.

A message that holds several parts has a row for each. The first says what became of the message;
in the others `packets`, `attempts`, `lost` and `sha256` are null.
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fbftl.ground.errors import UserError
from fbftl.ground.files import UNREADABLE, damaged, replacing, writing
from fbftl.privacy.mechanisms import PrivacyRecord

PARTS = frozenset(
    {"features", "labels", "update", "weights", "activations", "gradients", "logits", "scores"}
    | {"votes", "centroids", "statistics", "mask", "share", "ciphertext", "samples"}
    | {"control"}
)
"""What a message may hold. `features` are FbFTL's, each with its label in the same message."""

PARTIES = frozenset({"client", "server", "edge", "aggregator", "dealer"})
"""Who may send and receive. The dealer hands out randomness; a cloud is the server."""

COMPRESSION = "zstd"

ROWS = 2**20
"""Rows that are held in memory; those of a row group."""

BROADCAST = -1
"""Client of a downlink message that all clients of a round hear."""

NAME = pa.dictionary(pa.int8(), pa.string())

SCHEMA = pa.schema(
    [
        pa.field("method", NAME),
        pa.field("seed", pa.int64()),
        pa.field("direction", NAME, metadata={"note": "up, down, or between equals"}),
        pa.field("part", NAME, metadata={"note": "what the message holds"}),
        pa.field("sender", NAME),
        pa.field("receiver", NAME),
        pa.field("round", pa.int32(), metadata={"note": "from 1; 0 for what happens once"}),
        pa.field("client", pa.int32(), metadata={"note": "-1 for a broadcast; null for none"}),
        pa.field("sample", pa.int64(), metadata={"note": "null where a message is a client's"}),
        pa.field("payload_bits", pa.int64(), metadata={"note": "what the paper counts"}),
        pa.field("bits", pa.int64(), metadata={"note": "length of the encoded message"}),
        pa.field("encoded", NAME, metadata={"note": "whether it was made, or counted only"}),
        pa.field("token_id_bits", pa.int64(), metadata={"note": "of the text itself (A18)"}),
        pa.field("packets", pa.int32(), metadata={"note": "transmission blocks n_b"}),
        pa.field("attempts", pa.int64(), metadata={"note": "blocks sent, repeats included"}),
        pa.field("lost", pa.bool_()),
        pa.field("mechanism", NAME),
        pa.field("clip", pa.float64()),
        pa.field("sigma", pa.float64()),
        pa.field("epsilon", pa.float64()),
        pa.field("delta", pa.float64()),
        pa.field("privacy_unit", NAME),
        pa.field("sha256", pa.binary(32), metadata={"note": "of the encoded message, if made"}),
        pa.field("store", NAME),
    ],
    metadata={"layout": "2"},
)
"""Columns and types of a ledger, and the version of this layout."""


COLUMNS = frozenset(SCHEMA.names)
KNOWN = {"part": PARTS | {None}, "sender": PARTIES | {None}, "receiver": PARTIES | {None}}
MANY = np.ndarray, list
"""What holds a value for every row."""


class Ledger:
    """Collects messages, many at a time, and writes them.

    Args:
        constants: columns that are the same for every row, such as method and store.
    """

    def __init__(self, **constants: Any) -> None:
        self._constants = constants
        self._added: list[tuple[int, dict[str, Any]]] = []
        self._rows = 0
        self._spilled: _Spilled | None = None

    def add(self, count: int, **columns: Any) -> None:
        """Add `count` messages.

        Args:
            count: rows to add.
            columns: name to one value for all rows or to an array or list of `count` values;
                columns that are neither here nor constant are null.

        Raises:
            ValueError: on an unknown column, part or party, or a column of another length.
        """
        unknown = columns.keys() - COLUMNS
        if unknown:
            raise ValueError(f"the ledger has no columns {sorted(unknown)}")
        for name, allowed in KNOWN.items():
            if columns.get(name) not in allowed:
                raise ValueError(
                    f"the ledger (messages/ledger.py) knows no {name} {columns[name]!r}; it knows "
                    f"{', '.join(sorted(word for word in allowed if word is not None))}"
                )
        for value in columns.values():
            if isinstance(value, MANY) and len(value) != count:
                raise ValueError(f"a column has length {len(value)} instead of {count}")
        self._added.append((count, columns))
        self._rows += count
        if self._rows >= ROWS:
            self._spilled = self._spilled or _Spilled()
            self._spilled.take(self.table())
            self._added, self._rows = [], 0

    def table(self) -> pa.Table:
        """Return the rows that are in memory: all, where they are fewer than `ROWS`."""
        counts = np.array([count for count, _ in self._added], dtype=np.int64)
        columns = []
        for field in SCHEMA:
            value = self._constants.get(field.name)
            values = [batch.get(field.name, value) for _, batch in self._added]
            columns.append(_column(values, counts, field.type))
        return pa.Table.from_arrays(columns, schema=SCHEMA)

    def write(self, path: str | Path, seed: int | None = None) -> None:
        """Write all rows, or those of one seed, as parquet; afterwards no message is added.

        Equal rows give equal bytes.
        """
        spilled, rest = self._spilled, self.table()
        with (
            replacing(path) as temporary,
            pq.ParquetWriter(temporary, SCHEMA, compression=COMPRESSION) as writer,
        ):
            for group in [rest] if spilled is None else spilled.groups(rest):
                of_seed = group if seed is None else group.filter(pc.equal(group["seed"], seed))
                writer.write_table(of_seed)


class _Spilled:
    """Row groups in a temporary file."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._writer = pq.ParquetWriter(self._file, SCHEMA, compression=COMPRESSION)

    def take(self, table: pa.Table) -> None:
        with writing(tempfile.gettempdir()):
            self._writer.write_table(table, row_group_size=ROWS)

    def groups(self, rest: pa.Table) -> Iterator[pa.Table]:
        """Yield all rows, a row group after the other, the rest behind them."""
        if self._writer.is_open:
            self.take(rest)
            self._writer.close()
        parquet = pq.ParquetFile(self._file)
        yield from (parquet.read_row_group(number) for number in range(parquet.num_row_groups))


def read_ledger(path: str | Path, columns: Sequence[str]) -> pa.Table:
    """Return some columns of a ledger, of this layout or the first, which does not name itself.

    Raises:
        UserError: if it is damaged, has another layout, or other columns.
    """
    try:
        schema = pq.read_schema(path)
        if schema.equals(SCHEMA, check_metadata=False) and _layout(schema) in READ:
            return pq.read_table(path, columns=list(columns))
    except (OSError, pa.ArrowException, *UNREADABLE) as error:
        raise damaged(path, "ledger", error) from error
    raise UserError(
        f"ledger {path} has layout {_layout(schema)!r:.20} with {len(schema)} columns, and this "
        f"version of the project reads layout {_layout(SCHEMA)} with {len(SCHEMA)}; remove it and "
        "it is made again"
    )


def _layout(schema: pa.Schema) -> str:
    return (schema.metadata or {}).get(b"layout", b"1").decode(errors="replace")


READ = ("1", _layout(SCHEMA))
"""Layouts that are read: the columns have stayed."""


def privacy_columns(privacy: PrivacyRecord) -> dict[str, Any]:
    """Return the columns that say what a mechanism guarantees."""
    return {
        "mechanism": privacy.mechanism,
        "clip": privacy.clip_norm,
        "sigma": privacy.sigma,
        "epsilon": privacy.epsilon,
        "delta": privacy.delta,
        "privacy_unit": privacy.unit,
    }


def _column(values: Sequence[Any], counts: np.ndarray, kind: pa.DataType) -> pa.Array:
    """Return a column from one value, array or list per call of `add`; None for null.

    It is laid out by hand: `pa.array` and `pa.scalar` import pandas, which takes as long as a
    short run.

    Args:
        values: what each call gave.
        counts: rows of each call.
        kind: type of the column.
    """
    total, present = int(counts.sum()), np.array([value is not None for value in values])
    if not present.any():
        return pa.nulls(total, kind)
    valid = None
    if not present.all():
        valid = pa.py_buffer(np.packbits(np.repeat(present, counts), bitorder="little"))
    if pa.types.is_dictionary(kind):
        names, codes = _coded(values, counts)
        return pa.DictionaryArray.from_arrays(_array(kind.index_type, codes, valid), _texts(names))
    if pa.types.is_fixed_size_binary(kind):
        empty = bytes(kind.byte_width)
        every = [v or [None] * n for v, n in zip(values, counts.tolist(), strict=True)]
        not_null = np.array([digest is not None for batch in every for digest in batch])
        valid = None if not_null.all() else pa.py_buffer(np.packbits(not_null, bitorder="little"))
        joined = b"".join(digest or empty for batch in every for digest in batch)
        return pa.Array.from_buffers(kind, total, [valid, pa.py_buffer(joined)])
    return _array(kind, _filled(values, counts, WIDE.get(kind, np.int64)), valid)


def _coded(values: Sequence[Any], counts: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Return the names of a column, and which of them every row has; the first if it has none."""
    every = [value if isinstance(value, list) else [value] for value in values]
    names = list(dict.fromkeys(name for batch in every for name in batch if name is not None))
    indices = {name: index for index, name in enumerate(names)}
    codes = [
        np.broadcast_to(np.array([indices.get(name, 0) for name in batch], dtype=np.int8), count)
        for batch, count in zip(every, counts.tolist(), strict=True)
    ]
    return names, np.concatenate(codes)


WIDE = {pa.bool_(): np.bool_, pa.float64(): np.float64}
"""Type in which a column is laid out, by its own; integers of any length as long ones."""


def _filled(values: Sequence[Any], counts: np.ndarray, wide: type) -> np.ndarray:
    """Return a column's numbers, 0 where there are none."""
    if not any(isinstance(value, MANY) for value in values):
        return np.repeat(np.array([value or 0 for value in values], dtype=wide), counts)
    ends = np.cumsum(counts).tolist()
    filled = np.zeros(ends[-1], dtype=wide)
    for value, count, end in zip(values, counts.tolist(), ends, strict=True):
        if value is not None:
            filled[end - count : end] = value
    return filled


def _array(kind: pa.DataType, values: np.ndarray, valid: pa.Buffer | None) -> pa.Array:
    bits = np.packbits(values, bitorder="little") if values.dtype == bool else values
    wide = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(wide, len(values), [valid, pa.py_buffer(bits)]).cast(kind)


def _texts(names: Sequence[str]) -> pa.StringArray:
    encoded = [name.encode() for name in names]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    text = pa.py_buffer(b"".join(encoded))
    return pa.StringArray.from_buffers(len(names), pa.py_buffer(ends), text)
