"""Class means with their counts, of FedNCM and FedCOF: one of each class, or several."""

from dataclasses import dataclass

import numpy as np

from fbftl.ground.errors import required
from fbftl.ground.randomness import stream
from fbftl.messages.statistics import ClassMeans
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
