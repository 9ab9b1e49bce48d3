"""What a client may say instead of its features, a class for each sort of message.

A class tells what a client's message holds before it is made, makes it, and says what the server
knows from those that arrived. What most messages hold follows from labels alone; how many
components a mixture has may be chosen by the samples.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from fbftl.ground.errors import required
from fbftl.ground.randomness import stream
from fbftl.messages.statistics import (
    ClassMeans,
    LabelledRows,
    SplitMeans,
    Statistics,
    added,
    triangle,
    whole,
)
from fbftl.methods.one_shot.message import Shape, Summaries, Summary, Table
from fbftl.methods.one_shot.mixtures import Fitting, Mixture, held_out_count
from fbftl.methods.one_shot.private_gaussians import GaussiansMessage


@dataclass(frozen=True)
class MeansMessage:
    """The mean of each class that a client has samples of, with their number, or several means.

    classes: number of classes N.
    width: dimensions d of a feature.
    per_class: means of a class at most; its samples are split at random, as evenly as can be.
    seed: the repetition's seed, for how they are split.
    """

    classes: int
    width: int
    per_class: int = 1
    seed: int = 0

    def shape(self, client: int, values: np.ndarray, labels: np.ndarray) -> Shape:
        """Return what the message of a client with these samples holds."""
        means = int(np.minimum(np.bincount(labels), self.per_class).sum())
        return Shape(means, ((means, self.width, True),), self.classes)

    def summary(self, client: int, values: np.ndarray, labels: np.ndarray) -> Summary:
        """Return a client's summary."""
        order = stream(self.seed, "means of a class", client).permutation(len(labels))
        part = np.empty_like(labels)
        part[order] = _repeats(labels[order]) % self.per_class
        means = ClassMeans.of(values, labels, part, self.classes)
        return Summary(means.counts, (Table(means.means, means.label),), self.classes)

    def combined(self, received: Summaries) -> ClassMeans:
        """Return what the server has of the received summaries."""
        received = list(received)
        tables = [summary.tables[0] for _, summary in received]
        sizes = [len(table.rows) for table in tables]
        parts = [_repeats(required(table.labels)) for table in tables]
        return ClassMeans(
            np.repeat([client * self.per_class for client, _ in received], sizes)
            + np.concatenate([np.zeros(0, dtype=np.int64), *parts]),
            np.concatenate([np.zeros(0, dtype=np.int64), *(t.labels for t in tables)]),
            np.concatenate([np.zeros(0), *(s.counts for _, s in received)]).astype(np.int64),
            np.vstack([np.zeros((0, self.width)), *(t.rows for t in tables)]),
            self.classes,
        )


@dataclass(frozen=True)
class SplitMeansMessage:
    """The class means of the samples that a client keeps, then of those that it holds out.

    Both travel as one message, and give the means of all of its samples without another. A client
    holds out a share of its samples at random, rounded down but one at least. One sample of every
    class is kept, so that a class of one sample has none held out, and a client that has but one
    sample of each of its classes holds out nothing.

    Of the samples that it holds out a client sends one mean of each class, which joins the first of
    those that it keeps where they are several.

    share: of its samples that a client holds out, in (0, 1).
    seed: the repetition's seed, for which samples these are.
    per_class: means of a class of the samples that it keeps.
    """

    classes: int
    width: int
    share: float
    seed: int
    per_class: int = 1

    def shape(self, client: int, values: np.ndarray, labels: np.ndarray) -> Shape:
        """Return what the message of a client with these samples holds."""
        halves = [
            means.shape(client, *half) for means, half in self._halves(client, values, labels)
        ]
        tables = tuple(table for half in halves for table in half.tables)
        return Shape(sum(half.counts for half in halves), tables, self.classes)

    def summary(self, client: int, values: np.ndarray, labels: np.ndarray) -> Summary:
        """Return a client's summary."""
        halves = [
            means.summary(client, *half) for means, half in self._halves(client, values, labels)
        ]
        counts = np.concatenate([half.counts for half in halves])
        tables = tuple(table for half in halves for table in half.tables)
        return Summary(counts, tables, self.classes)

    def combined(self, received: Summaries) -> SplitMeans:
        """Return what the server has of the received summaries."""
        kept: list[tuple[int, Summary]] = []
        held_out: list[tuple[int, Summary]] = []
        for client, summary in received:
            of_kept, *rest = summary.tables
            counts = np.split(summary.counts, [len(of_kept.rows)])
            kept.append((client, Summary(counts[0], (of_kept,), self.classes)))
            held_out += [(client, Summary(counts[1], (table,), self.classes)) for table in rest]
        return SplitMeans(self._of_kept.combined(kept), self._of_kept.combined(held_out))

    def holds_out(self, client: int, labels: np.ndarray) -> np.ndarray:
        """Return which of its samples with these labels (n,) a client holds out, booleans (n,)."""
        order = stream(self.seed, "rows held out", client).permutation(len(labels))
        _, first_of_class = np.unique(labels[order], return_index=True)
        spare = np.delete(order, first_of_class)
        held_out = np.zeros(len(labels), dtype=bool)
        held_out[spare[: max(1, int(self.share * len(labels)))]] = True
        return held_out

    @property
    def _of_kept(self) -> MeansMessage:
        return MeansMessage(self.classes, self.width, self.per_class, self.seed)

    def _halves(
        self, client: int, values: np.ndarray, labels: np.ndarray
    ) -> list[tuple[MeansMessage, tuple[np.ndarray, np.ndarray]]]:
        """Return values and labels of the samples that a client keeps, and of any others.

        Before each is what makes the message of it.
        """
        held_out = self.holds_out(client, labels)
        halves = [(self._of_kept, (values[~held_out], labels[~held_out]))]
        if held_out.any():
            others = (values[held_out], labels[held_out])
            halves.append((replace(self._of_kept, per_class=1), others))
        return halves


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

    def summary(self, client: int, values: np.ndarray, labels: np.ndarray) -> Summary:
        """Return a client's summary, under noise of its own."""
        return self.summary_of(self.noised(Statistics.of(values, labels, self.classes), client))

    def summary_of(self, statistics: Statistics) -> Summary:
        """Return the message of some statistics."""
        tables = (Table(statistics.sums), Table(triangle(statistics.scatter)[None]))
        return Summary(statistics.counts, tables, self.classes)

    def noised(self, statistics: Statistics, client: int, messages: int = 1) -> Statistics:
        """Return statistics under a client's noise, or those of several under all of theirs."""
        if not self.noise:
            return statistics
        numbers = statistics.numbers()
        draws = stream(self.seed, "statistics_noise", client).standard_normal(len(numbers))
        numbers += self.noise * np.sqrt(messages) * draws
        return Statistics.of_numbers(numbers, self.classes, self.width)

    def combined(self, received: Summaries) -> Statistics:
        """Return what the server has of the received summaries: their sum."""
        each = (
            Statistics(
                summary.counts, summary.tables[0].rows, whole(summary.tables[1].rows[0], self.width)
            )
            for _, summary in received
        )
        return added(each, self.classes, self.width)

    def pooled(self, rows: LabelledRows) -> Statistics:
        """Return what plain messages of several clients sum up to, in one pass over their rows.

        Left out is the rounding of each message to 32 bits.
        """
        clients = np.unique(rows.client)
        statistics = Statistics.of(rows.values, rows.labels, self.classes)
        return self.noised(statistics, int(clients[0]), len(clients))


@dataclass(frozen=True)
class MixturesMessage:
    """A Gaussian mixture for each class that a client has enough samples of, with their number.

    Under diagonal covariances a class of few samples has fewer components. Under spherical ones it
    is as in FedPFT: a class with at most G samples is not sent.

    components: G, at most; several are candidates, of which a client chooses one for each class by
        samples that it holds out, and which it then fits to all of them.
    fitting: how mixtures are fitted.
    least_samples: samples behind a component; a class with fewer is not sent.
    seed: the repetition's seed, for where k-means++ begins and for what the server draws.
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
            of_class = {int(label): values[labels == label] for label in np.unique(labels)}
            sizes = {label: self._size(of_label, draws) for label, of_label in of_class.items()}
            self._chosen[client] = {label: size for label, size in sizes.items() if size}
        return self._chosen[client]

    def shape(self, client: int, values: np.ndarray, labels: np.ndarray) -> Shape:
        """Return what a client's message holds; its header alone if no class is sent."""
        sizes = self.sizes(client, values, labels)
        width = 1 + self.width + (1 if self.fitting.spherical else self.width)
        return Shape(len(sizes), ((sum(sizes.values()), width, True),), self.classes)

    def summary(self, client: int, values: np.ndarray, labels: np.ndarray) -> Summary | None:
        """Return a client's summary, or None if no class has enough samples."""
        sizes = self.sizes(client, values, labels)
        if not sizes:
            return None
        draws = stream(self.seed, "mixtures", client)
        rows = [
            self.fitting.fitted(values[labels == label], size, draws).rows()
            for label, size in sizes.items()
        ]
        counts = np.array([np.count_nonzero(labels == label) for label in sizes])
        of = np.repeat(list(sizes), list(sizes.values()))
        return Summary(counts, (Table(np.vstack(rows), of),), self.classes)

    def _size(self, samples: np.ndarray, draws: np.random.Generator) -> int:
        """Return the components of a class's samples; 0 if they are not sent."""
        allowed = self._allowed(len(samples))
        kept = len(samples) - held_out_count(len(samples))
        comparable = [size for size in self._allowed(kept) if size in allowed]
        if len(comparable) > 1:
            return self.fitting.chosen(samples, comparable, draws)
        return allowed[0] if allowed else 0

    def _allowed(self, samples: int) -> list[int]:
        """Return the numbers of components that so many samples of a class may have, ascending."""
        most = samples // self.least_samples
        if self.fitting.spherical:
            return [size for size in self.components if size <= most and size < samples]
        return sorted({min(size, most) for size in self.components} - {0})

    def combined(self, received: Summaries) -> LabelledRows:
        """Return virtual samples, as many of each client and class as it has."""
        values, labels = [np.zeros((0, self.width), dtype=np.float32)], [np.zeros(0, np.int64)]
        whose = [np.zeros(0, np.int64)]
        for client, summary in received:
            table, draws = summary.tables[0], stream(self.seed, "virtual", client)
            for label, count in zip(np.unique(required(table.labels)), summary.counts, strict=True):
                mixture = Mixture.of_rows(table.rows[table.labels == label], self.width)
                values.append(mixture.draw(int(count), draws))
                labels.append(np.full(int(count), label))
                whose.append(np.full(int(count), client))
        return LabelledRows(np.vstack(values), np.concatenate(labels), np.concatenate(whose))


def _repeats(labels: np.ndarray) -> np.ndarray:
    """Return how often each of some labels (n,) came before, (n,)."""
    order = np.argsort(labels, kind="stable")
    repeats = np.empty(len(labels), dtype=np.int64)
    repeats[order] = np.arange(len(labels)) - np.searchsorted(labels[order], labels[order])
    return repeats


SummaryMessage = (
    MeansMessage | SplitMeansMessage | StatisticsMessage | MixturesMessage | GaussiansMessage
)
"""Any of them."""
