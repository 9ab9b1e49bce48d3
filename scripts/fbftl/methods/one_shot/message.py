"""One client's message where it says less than its features: counts, then tables of numbers.

Counts are never quantised. Every table is a message of the codec (docs/formats.md), whose rows have
a range each under q < 32, and the whole travels as one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.codec import Compression, CorruptMessage, compress, encode
from fbftl.messages.codec.bitpack import packed_bytes
from fbftl.messages.codec.compression import PLAIN
from fbftl.messages.codec.encoder import label_bits
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.codec.joined import decode_joined
from fbftl.messages.codec.quantiser import RANGE_BYTES


@dataclass(frozen=True, eq=False)
class Table:
    """Some rows of equal width.

    rows: (m, X).
    labels: (m,) class of each row, where that is not known from its place.
    """

    rows: np.ndarray
    labels: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Summary:
    """What one client says.

    counts: (m,) numbers of samples.
    tables: what it says of them.
    classes: number of classes N.
    """

    counts: np.ndarray
    tables: tuple[Table, ...]
    classes: int

    def message(self, compression: Compression) -> bytes:
        """Return the message."""
        tables = (encode(t.rows, t.labels, self.classes, compression) for t in self.tables)
        return encode(self.counts) + b"".join(tables)

    @classmethod
    def of_message(cls, message: bytes, classes: int) -> "Summary":
        """Return what the server reads from a message that arrived.

        Raises:
            CorruptMessage: if it is damaged, or holds nothing but counts.
        """
        counts, *tables = decode_joined(message)
        if len(counts.values) != 1 or not tables:
            raise CorruptMessage("a summary is one row of counts and tables of what they count")
        read = (Table(table.values, table.labels) for table in tables)
        return cls(counts.values[0], tuple(read), classes)

    def digest(self, compression: Compression) -> bytes:
        """Return the SHA-256 of the message."""
        return sha256(self.message(compression)).digest()

    def read(self, compression: Compression) -> "Summary":
        """Return what the server reads from the message."""
        tables = (replace(t, rows=compress(t.rows, compression).values) for t in self.tables)
        counts = np.asarray(self.counts, dtype=np.float32)
        return Summary(counts, tuple(tables), self.classes)


Summaries = Iterable[tuple[int, Summary]]
"""Clients with what the server read of each."""


@dataclass(frozen=True)
class Shape:
    """What a message holds, from which its length follows.

    counts: how many counts.
    tables: rows and width of each table, and whether its rows are labelled.
    classes: number of classes N.
    """

    counts: int
    tables: tuple[tuple[int, int, bool], ...]
    classes: int

    @property
    def numbers(self) -> int:
        """How many numbers these are, counts and tables."""
        return self.counts + sum(rows * width for rows, width, _ in self.tables)

    def bits(self, compression: Compression) -> int:
        """Return the length of such a message, of which every element is sent."""
        total = HEADER_BYTES + packed_bytes(self.counts, PLAIN.bits)
        for rows, width, labelled in self.tables:
            total += HEADER_BYTES + packed_bytes(rows * width, compression.bits)
            total += RANGE_BYTES * rows if compression.bits != FLOAT_BITS else 0
            total += packed_bytes(rows, label_bits(self.classes)) if labelled else 0
        return 8 * total
