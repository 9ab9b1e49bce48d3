"""What a client may say instead of its features, one kind of message each.

A kind tells how long a client's message is before it is made, makes it, and says what the server
knows from those that arrived.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fbftl.ground.randomness import stream
from fbftl.messages.codec import Compression
from fbftl.messages.mixtures import Mixture, fitted
from fbftl.messages.statistics import (
    ClassMeans,
    LabelledRows,
    Statistics,
    added,
    length,
    triangle,
    whole,
)
from fbftl.messages.summary import Summary, Table, message_bits

Heard = Iterable[tuple[int, Summary]]
"""Clients with what the server read of each."""


@dataclass(frozen=True)
class MeansMessage:
    """The mean of each class that a client has samples of, with their number.

    classes: number of classes N.
    width: dimensions d of a feature.
    """

    classes: int
    width: int

    def numbers(self, labels: np.ndarray) -> int:
        """Return how many numbers the client with these labels sends."""
        return len(np.unique(labels)) * (self.width + 1)

    def bits(self, labels: np.ndarray, compression: Compression) -> int:
        """Return the length of its message."""
        present = len(np.unique(labels))
        return message_bits(present, [(present, self.width, True)], compression, self.classes)

    def said(self, client: int, values: np.ndarray, labels: np.ndarray) -> Summary:
        """Return what it says."""
        own = ClassMeans.of(values, labels, np.zeros_like(labels), self.classes)
        return Summary(own.counts, (Table(own.means, own.label),), self.classes)

    def known(self, heard: Heard) -> ClassMeans:
        """Return what the server knows."""
        heard = list(heard)
        tables = [summary.tables[0] for _, summary in heard]
        sizes = [len(table.rows) for table in tables]
        return ClassMeans(
            np.repeat([client for client, _ in heard], sizes),
            np.concatenate([np.zeros(0, dtype=np.int64), *(t.labels for t in tables)]),
            np.concatenate([np.zeros(0), *(s.counts for _, s in heard)]).astype(np.int64),
            np.vstack([np.zeros((0, self.width)), *(t.rows for t in tables)]),
            self.classes,
        )


@dataclass(frozen=True)
class StatisticsMessage:
    """Counts, sums and the triangle of second moments.

    noise: standard deviation of the noise on every number; 0 for none.
    seed: of that noise.
    """

    classes: int
    width: int
    noise: float = 0.0
    seed: int = 0

    def numbers(self, labels: np.ndarray) -> int:
        """Return how many numbers a client sends, whatever its labels."""
        return length(self.classes, self.width)

    def bits(self, labels: np.ndarray, compression: Compression) -> int:
        """Return the length of its message."""
        upper = self.width * (self.width + 1) // 2
        shapes = [(self.classes, self.width, False), (1, upper, False)]
        return message_bits(self.classes, shapes, compression, self.classes)

    def said(self, client: int, values: np.ndarray, labels: np.ndarray) -> Summary:
        """Return what it says, under noise of its own."""
        return self.told(self.noised(Statistics.of(values, labels, self.classes), client))

    def told(self, own: Statistics) -> Summary:
        """Return the message of some statistics."""
        tables = (Table(own.sums), Table(triangle(own.scatter)[None]))
        return Summary(own.counts, tables, self.classes)

    def noised(self, own: Statistics, client: int, messages: int = 1) -> Statistics:
        """Return statistics under a client's noise, or those of several under all of theirs."""
        if not self.noise:
            return own
        numbers = own.numbers()
        draws = stream(self.seed, "statistics_noise", client).standard_normal(len(numbers))
        numbers += self.noise * np.sqrt(messages) * draws
        return Statistics.of_numbers(numbers, self.classes, self.width)

    def known(self, heard: Heard) -> Statistics:
        """Return what the server knows: the sum."""
        each = (
            Statistics(
                summary.counts, summary.tables[0].rows, whole(summary.tables[1].rows[0], self.width)
            )
            for _, summary in heard
        )
        return added(each, self.classes, self.width)

    def pooled(self, rows: LabelledRows) -> Statistics:
        """Return what plain messages of several clients sum up to, in one pass over their rows.

        Left out is the rounding of each message to 32 bits.
        """
        clients = np.unique(rows.client)
        own = Statistics.of(rows.values, rows.labels, self.classes)
        return self.noised(own, int(clients[0]), len(clients))


@dataclass(frozen=True)
class MixturesMessage:
    """A Gaussian mixture for each class that a client has enough samples of, with their number.

    components: G at most; fewer where a class has not `least_samples` for each.
    least_variance: floor of every variance.
    least_samples: samples behind a component; a class with fewer is not sent.
    seed: the repetition's seed, for where EM begins and for what the server draws.
    """

    classes: int
    width: int
    components: int
    least_variance: float
    least_samples: int
    seed: int

    def _sizes(self, labels: np.ndarray) -> dict[int, int]:
        """Return the components of each class that is sent."""
        counts = np.bincount(labels, minlength=self.classes) // self.least_samples
        return {int(own): int(min(counts[own], self.components)) for own in np.flatnonzero(counts)}

    def numbers(self, labels: np.ndarray) -> int:
        """Return how many numbers the client with these labels sends."""
        sizes = self._sizes(labels)
        return sum(sizes.values()) * (2 * self.width + 1) + len(sizes)

    def bits(self, labels: np.ndarray, compression: Compression) -> int:
        """Return the length of its message; of the header alone if no class is sent."""
        sizes = self._sizes(labels)
        shapes = [(sum(sizes.values()), 2 * self.width + 1, True)]
        return message_bits(len(sizes), shapes, compression, self.classes)

    def said(self, client: int, values: np.ndarray, labels: np.ndarray) -> Summary | None:
        """Return what it says, or None if no class has enough samples."""
        sizes = self._sizes(labels)
        if not sizes:
            return None
        draws = stream(self.seed, "mixtures", client)
        rows = [
            fitted(values[labels == own], size, self.least_variance, draws).rows()
            for own, size in sizes.items()
        ]
        counts = np.array([np.count_nonzero(labels == own) for own in sizes])
        of = np.repeat(list(sizes), list(sizes.values()))
        return Summary(counts, (Table(np.vstack(rows), of),), self.classes)

    def known(self, heard: Heard) -> LabelledRows:
        """Return virtual samples, as many of each client and class as it has."""
        values, labels = [np.zeros((0, self.width), dtype=np.float32)], [np.zeros(0, np.int64)]
        whose = [np.zeros(0, np.int64)]
        for client, summary in heard:
            table, draws = summary.tables[0], stream(self.seed, "virtual", client)
            for own, count in zip(np.unique(table.labels), summary.counts, strict=True):
                mixture = Mixture.of_rows(table.rows[table.labels == own])
                values.append(mixture.draw(int(count), draws))
                labels.append(np.full(int(count), own))
                whose.append(np.full(int(count), client))
        return LabelledRows(np.vstack(values), np.concatenate(labels), np.concatenate(whose))


Kind = MeansMessage | StatisticsMessage | MixturesMessage
