"""What every message of a one-shot method is: counts, then tables of numbers.

Counts are never quantised. Every table is a message of the codec (docs/formats.md), whose rows have
a range each under q < 32, and the whole travels as one.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.codec import Compression, CorruptMessage, encode, encode_and_read
from fbftl.messages.codec.bitpack import packed_bytes
from fbftl.messages.codec.compression import PLAIN, RANGE_BYTES
from fbftl.messages.codec.decoder import decode_joined
from fbftl.messages.codec.encoder import label_bits
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.study.job import KnownAxes


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

    @property
    def numbers(self) -> int:
        """How many numbers these are, counts and tables."""
        return len(self.counts) + sum(table.rows.size for table in self.tables)

    def sent(self, compression: Compression) -> tuple[bytes, "Summary"]:
        """Return the message, and what the server reads from it."""
        made = [encode_and_read(t.rows, t.labels, self.classes, compression) for t in self.tables]
        read = (
            replace(table, rows=rows) for table, (_, rows) in zip(self.tables, made, strict=True)
        )
        counts = np.asarray(self.counts, dtype=np.float32)
        message = encode(counts) + b"".join(of_table for of_table, _ in made)
        return message, Summary(counts, tuple(read), self.classes)

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


@dataclass(frozen=True)
class Terms:
    """What client and server know before a message is made.

    setting: the setting's axes.
    block: the task's block `one_shot`.
    classes: number of classes N.
    width: dimensions d of what messages are made of.
    seed: the repetition's seed.
    guarantee: of a message, its noise calibrated.
    noised_by: the seed of its noise.
    """

    setting: KnownAxes
    block: Mapping[str, Any]
    classes: int
    width: int
    seed: int
    guarantee: PrivacyRecord
    noised_by: int


class SummaryMessage(ABC):
    """How clients make a sort of message, and what the server knows from those that arrived."""

    def shape(self, client: int, values: np.ndarray, labels: np.ndarray) -> Shape | None:
        """Return what the message of a client with these samples holds; None if it is made to see.

        What it holds mostly follows from labels alone; how many components a mixture has may be
        chosen by the samples.
        """
        return None

    @abstractmethod
    def summary(self, client: int, values: np.ndarray, labels: np.ndarray) -> Summary | None:
        """Return what a client says, or None if it says nothing.

        Args:
            client: number of its first sample, by which it draws.
            values: (n, d) float32, its features.
            labels: (n,) int64.
        """

    @abstractmethod
    def combined(self, received: Summaries) -> Any:
        """Return what the server has of the received summaries, as `GIVES` says."""
