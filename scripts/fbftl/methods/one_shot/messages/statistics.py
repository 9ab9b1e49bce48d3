"""Counts, sums and second moments of a client's features, of Fed3R, AFL, FedCGS and GH-OFL."""

from dataclasses import dataclass

import numpy as np

from fbftl.ground.errors import required
from fbftl.ground.randomness import stream
from fbftl.messages.statistics import LabelledRows, Statistics, added, triangle, whole
from fbftl.methods.one_shot.message import Shape, Summaries, Summary, SummaryMessage, Table, Terms

RANK = 1e-6
"""Directions along which a client's samples reach less far, over its largest number, are none."""

GIVES = "statistics"
REVEALS = "each client's moments, which are its sample where it has one"


def message(terms: Terms) -> SummaryMessage:
    """Return how clients make theirs."""
    if terms.setting.gram == "factor":
        return FactorMessage(terms.classes, terms.width)
    noise = terms.guarantee.noise_std or 0.0
    return StatisticsMessage(terms.classes, terms.width, noise, terms.noised_by)


@dataclass(frozen=True)
class StatisticsMessage(SummaryMessage):
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
        statistics = self.noised(Statistics.of(values, labels, self.classes), client)
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
class FactorMessage(SummaryMessage):
    """Class means and a factor F of the scatter around them, FᵀF: no rounding makes it indefinite.

    The rows of F are the principal directions of a client's samples around their class means, each
    times its singular value, as many as the scatter has rank: at most samples less classes. Each
    row has a range of its own under q < 32, so that what is small stays small.
    """

    classes: int
    width: int

    def summary(self, client: int, values: np.ndarray, labels: np.ndarray) -> Summary:
        """Return a client's summary."""
        present, place, counts = np.unique(labels, return_inverse=True, return_counts=True)
        belongs = (place == np.arange(len(present))[:, None]).astype(np.float64)
        means = belongs @ values / counts[:, None]
        off = values - means[place]
        _, lengths, directions = np.linalg.svd(off, full_matrices=False)
        some = lengths > RANK * max(float(np.abs(values).max()), 1e-30)
        tables = [Table(means, present)]
        if some.any():
            tables.append(Table(lengths[some, None] * directions[some]))
        return Summary(counts, tuple(tables), self.classes)

    def combined(self, received: Summaries) -> Statistics:
        """Return what the server has of the received summaries: their sum."""
        total = Statistics.nothing(self.classes, self.width)
        rows = []
        for _, summary in received:
            means, *factor = summary.tables
            of, counts = required(means.labels), summary.counts
            total.counts[of] += counts
            total.sums[of] += counts[:, None] * means.rows
            rows += [np.sqrt(counts)[:, None] * means.rows, *(table.rows for table in factor)]
        stacked = np.vstack(rows) if rows else np.zeros((0, self.width))
        total.scatter[:] = stacked.T @ stacked.astype(np.float64)
        return total
