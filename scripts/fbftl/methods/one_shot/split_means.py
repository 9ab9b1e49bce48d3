"""Class means of the samples that a client keeps and of those that it holds out, in one message."""

from dataclasses import dataclass, replace

import numpy as np

from fbftl.ground.randomness import stream
from fbftl.messages.statistics import SplitMeans
from fbftl.methods.one_shot.message import Shape, Summaries, Summary, SummaryMessage
from fbftl.methods.one_shot.messages.means import MeansMessage


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
