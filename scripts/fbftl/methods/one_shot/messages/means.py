"""Class means with their counts, of FedNCM and FedCOF: one of each class, or several.

Where a shrinkage is chosen, the samples that a client keeps and those that it holds out have means
of their own, in one message.
"""

from dataclasses import dataclass, replace

import numpy as np

from fbftl.ground.errors import required
from fbftl.ground.randomness import stream
from fbftl.messages.statistics import ClassMeans, SplitMeans
from fbftl.methods.one_shot.message import Shape, Summaries, Summary, SummaryMessage, Table, Terms

GIVES = "means"
REVEALS = "each client's class means, which are its samples where a class has one"


def message(terms: Terms) -> "MeansMessage":
    """Return how clients make theirs."""
    return MeansMessage(terms.classes, terms.width, terms.setting.means_per_class, terms.seed)


@dataclass(frozen=True)
class MeansMessage(SummaryMessage):
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


def _repeats(labels: np.ndarray) -> np.ndarray:
    """Return how often each of some labels (n,) came before, (n,)."""
    order = np.argsort(labels, kind="stable")
    repeats = np.empty(len(labels), dtype=np.int64)
    repeats[order] = np.arange(len(labels)) - np.searchsorted(labels[order], labels[order])
    return repeats


@dataclass(frozen=True)
class SplitMeansMessage(SummaryMessage):
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
