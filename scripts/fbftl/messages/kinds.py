"""What a client may say instead of its features, one kind of message each.

A kind tells what a client's message holds before it is made, makes it, and says what the server
knows from those that arrived. What most messages hold follows from labels alone; how many
components a mixture has may be chosen by the samples.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from fbftl.ground.randomness import stream
from fbftl.messages.mixtures import Fitting, Mixture, held_samples
from fbftl.messages.statistics import (
    ClassMeans,
    LabelledRows,
    Statistics,
    added,
    triangle,
    whole,
)
from fbftl.messages.summary import Shape, Summary, Table

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

    def shape(self, client: int, values: np.ndarray, labels: np.ndarray) -> Shape:
        """Return what the message of a client with these samples holds."""
        present = len(np.unique(labels))
        return Shape(present, ((present, self.width, True),), self.classes)

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

    def shape(self, client: int, values: np.ndarray, labels: np.ndarray) -> Shape:
        """Return what the message of a client holds, whatever its samples."""
        upper = self.width * (self.width + 1) // 2
        tables = ((self.classes, self.width, False), (1, upper, False))
        return Shape(self.classes, tables, self.classes)

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

    Under diagonal covariances a class of few samples has fewer components. Under spherical ones it
    is as in FedPFT: a class with at most G samples is not sent.

    components: G, at most; several are candidates, of which a client chooses one for each class by
        samples that it holds out, and which it then fits to all of them.
    fitting: how mixtures are fitted.
    least_samples: samples behind a component; a class with fewer is not sent.
    seed: the repetition's seed, for where EM starts and for what the server draws.
    """

    classes: int
    width: int
    components: tuple[int, ...]
    fitting: Fitting
    least_samples: int
    seed: int
    _chosen: dict[int, dict[int, int]] = field(default_factory=dict, repr=False, compare=False)

    def sizes(self, client: int, values: np.ndarray, labels: np.ndarray) -> dict[int, int]:
        """Return the components of each class that a client sends, chosen once if they are."""
        if client not in self._chosen:
            draws = stream(self.seed, "components", client)
            of_class = {int(one): values[labels == one] for one in np.unique(labels)}
            sizes = {one: self._size(own, draws) for one, own in of_class.items()}
            self._chosen[client] = {one: size for one, size in sizes.items() if size}
        return self._chosen[client]

    def shape(self, client: int, values: np.ndarray, labels: np.ndarray) -> Shape:
        """Return what a client's message holds; its header alone if no class is sent."""
        sizes = self.sizes(client, values, labels)
        width = 1 + self.width + (1 if self.fitting.spherical else self.width)
        return Shape(len(sizes), ((sum(sizes.values()), width, True),), self.classes)

    def said(self, client: int, values: np.ndarray, labels: np.ndarray) -> Summary | None:
        """Return what it says, or None if no class has enough samples."""
        sizes = self.sizes(client, values, labels)
        if not sizes:
            return None
        draws = stream(self.seed, "mixtures", client)
        rows = [
            self.fitting.fitted(values[labels == one], size, draws).rows()
            for one, size in sizes.items()
        ]
        counts = np.array([np.count_nonzero(labels == one) for one in sizes])
        of = np.repeat(list(sizes), list(sizes.values()))
        return Summary(counts, (Table(np.vstack(rows), of),), self.classes)

    def _size(self, samples: np.ndarray, draws: np.random.Generator) -> int:
        """Return the components of a class's samples; 0 if they are not sent."""
        allowed = self._allowed(len(samples))
        kept = len(samples) - held_samples(len(samples))
        judged = [size for size in self._allowed(kept) if size in allowed]
        if len(judged) > 1:
            return self.fitting.chosen(samples, judged, draws)
        return allowed[0] if allowed else 0

    def _allowed(self, samples: int) -> list[int]:
        """Return the numbers of components that so many samples of a class may have, ascending."""
        most = samples // self.least_samples
        if self.fitting.spherical:
            return [size for size in self.components if size <= most and size < samples]
        return sorted({min(size, most) for size in self.components} - {0})

    def known(self, heard: Heard) -> LabelledRows:
        """Return virtual samples, as many of each client and class as it has."""
        values, labels = [np.zeros((0, self.width), dtype=np.float32)], [np.zeros(0, np.int64)]
        whose = [np.zeros(0, np.int64)]
        for client, summary in heard:
            table, draws = summary.tables[0], stream(self.seed, "virtual", client)
            for own, count in zip(np.unique(table.labels), summary.counts, strict=True):
                mixture = Mixture.of_rows(table.rows[table.labels == own], self.width)
                values.append(mixture.draw(int(count), draws))
                labels.append(np.full(int(count), own))
                whose.append(np.full(int(count), client))
        return LabelledRows(np.vstack(values), np.concatenate(labels), np.concatenate(whose))


Kind = MeansMessage | StatisticsMessage | MixturesMessage
