"""The release ledger: one row per message that was really sent, and what became of it.

Payload, loss and privacy tables are derived from it. Rows are collected as columns and written as
one parquet file per run: constant columns cost nothing there, so that a paper-scale run (656,250
uploads) stays at a few bytes per row, or 32 more where a digest of the message is known.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fbftl.ground.files import replacing
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.privacy.mechanisms import PrivacyRecord

FLOAT_BITS = 32
"""Bits d of a float that is sent as it is."""

BROADCAST = -1
"""Client of a downlink message that all clients of a round hear."""

SCHEMA = pa.schema(
    [
        pa.field("method", pa.dictionary(pa.int8(), pa.string())),
        pa.field("seed", pa.int64()),
        pa.field("direction", pa.dictionary(pa.int8(), pa.string())),
        pa.field("round", pa.int32(), metadata={"note": "from 1; 0 for what happens once"}),
        pa.field("client", pa.int32(), metadata={"note": "-1 for a broadcast"}),
        pa.field("sample", pa.int64(), metadata={"note": "null where a message is a client's"}),
        pa.field("payload_bits", pa.int64(), metadata={"note": "what the paper counts"}),
        pa.field("bits", pa.int64(), metadata={"note": "length of the encoded message"}),
        pa.field("token_id_bits", pa.int64(), metadata={"note": "of the text itself (A18)"}),
        pa.field("packets", pa.int32(), metadata={"note": "transmission blocks n_b"}),
        pa.field("attempts", pa.int64(), metadata={"note": "blocks sent, repeats included"}),
        pa.field("lost", pa.bool_()),
        pa.field("mechanism", pa.dictionary(pa.int8(), pa.string())),
        pa.field("clip", pa.float64()),
        pa.field("sigma", pa.float64()),
        pa.field("epsilon", pa.float64()),
        pa.field("delta", pa.float64()),
        pa.field("privacy_unit", pa.dictionary(pa.int8(), pa.string())),
        pa.field("sha256", pa.binary(32), metadata={"note": "of the encoded message, if made"}),
        pa.field("store", pa.dictionary(pa.int8(), pa.string())),
    ]
)
"""Columns and types of a ledger."""


class Ledger:
    """Collects messages, many at a time, and writes them.

    Args:
        constants: columns that are the same for every row, such as method and store.
    """

    def __init__(self, **constants: Any) -> None:
        self._constants = constants
        self._tables: list[pa.Table] = []

    def add(self, count: int, **columns: Any) -> None:
        """Add `count` messages.

        Args:
            count: rows to add.
            columns: name to one value for all rows or to an array of `count` values; columns
                that are neither here nor constant are null.
        """
        given: Mapping[str, Any] = self._constants | columns
        unknown = given.keys() - set(SCHEMA.names)
        if unknown:
            raise ValueError(f"the ledger has no columns {sorted(unknown)}")
        arrays = [_column(given.get(field.name), count, field.type) for field in SCHEMA]
        self._tables.append(pa.Table.from_arrays(arrays, schema=SCHEMA))

    def add_downlink(
        self, seed: int, rounds: np.ndarray, floats: int | np.ndarray, clients: int | np.ndarray
    ) -> None:
        """Add plain messages of the server.

        Args:
            seed: the repetition's seed.
            rounds: (m,) round of each message; 0 for what is sent once.
            floats: numbers in each message, one for all or (m,).
            clients: client that each goes to, or `BROADCAST`.
        """
        payload = FLOAT_BITS * floats
        self.add(
            len(rounds),
            seed=seed,
            direction="down",
            round=rounds,
            client=clients,
            payload_bits=payload,
            bits=payload + 8 * HEADER_BYTES,
            lost=False,
        )

    def table(self) -> pa.Table:
        """Return all rows added so far."""
        return pa.concat_tables(self._tables or [SCHEMA.empty_table()]).unify_dictionaries()

    def write(self, path: str | Path) -> None:
        """Write the ledger as parquet; equal rows give equal bytes."""
        with replacing(path) as temporary:
            pq.write_table(self.table().combine_chunks(), temporary, compression="zstd")


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


def _column(value: Any, count: int, kind: pa.DataType) -> pa.Array:
    """Return a column of `count` values from an array, a list, or one value for all rows.

    It is laid out by hand: `pa.array` and `pa.scalar` import pandas, which takes as long as a
    short run.
    """
    if value is None:
        return pa.nulls(count, kind)
    if pa.types.is_dictionary(kind):
        text = value.encode()
        ends = pa.py_buffer(np.array([0, len(text)], np.int32))
        name = pa.StringArray.from_buffers(1, ends, pa.py_buffer(text))
        return pa.DictionaryArray.from_arrays(_numbers(np.zeros(count, np.int8)), name)
    if pa.types.is_fixed_size_binary(kind):
        return _of_bytes(kind, count, b"".join(value))
    values = np.asarray(value)
    if values.ndim and len(values) != count:
        raise ValueError(f"a column has length {len(values)} instead of {count}")
    return _numbers(np.broadcast_to(values, count)).cast(kind)


def _numbers(values: np.ndarray) -> pa.Array:
    bits = np.packbits(values, bitorder="little") if values.dtype == bool else values
    kind = pa.from_numpy_dtype(values.dtype)
    return _of_bytes(kind, len(values), np.ascontiguousarray(bits))


def _of_bytes(kind: pa.DataType, count: int, data: bytes | np.ndarray) -> pa.Array:
    return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(data)])
