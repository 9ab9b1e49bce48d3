"""One seed's clients with what each holds, and how many of their rows heads have right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fbftl.exchange.post import Post
from fbftl.messages.statistics import LabelledRows
from fbftl.methods.one_shot.message import Shape, Summary, SummaryMessage
from fbftl.training.closed_form import LinearHead

HeadEvaluation = Callable[[Sequence[LinearHead]], np.ndarray]
"""Gives the number of held-out rows that each of some heads has right."""


@dataclass(frozen=True, eq=False)
class Clients:
    """One seed's clients with what each holds.

    owner: (U,) their ids, of all clients, whether or not they take part.
    first: (U,) number of their first sample in the data set, ascending, by which each draws.
    rows: rows of each.
    values, labels: of all rows, as messages are made of them.
    taking_part: places of the clients that do.
    """

    owner: np.ndarray
    first: np.ndarray
    rows: Sequence[np.ndarray]
    values: np.ndarray
    labels: np.ndarray
    taking_part: np.ndarray

    def rows_of(self, places: Sequence[int]) -> np.ndarray:
        """Return the rows of some clients together."""
        none = np.zeros(0, dtype=np.int64)
        return np.concatenate([none, *(self.rows[index] for index in places)])

    def held_by(self, places: Sequence[int]) -> LabelledRows:
        """Return the samples of some clients together."""
        rows = self.rows_of(places)
        sizes = [len(self.rows[index]) for index in places]
        return LabelledRows(
            self.values[rows], self.labels[rows], np.repeat(self.first[places], sizes)
        )

    def summary(self, message: SummaryMessage, index: int) -> Summary | None:
        """Return one client's summary, None without a message."""
        rows = self.rows[index]
        return message.summary(int(self.first[index]), self.values[rows], self.labels[rows])

    def shapes(self, message: SummaryMessage) -> list[Shape | None]:
        """Return what each client's message holds, None of those that are made to see."""
        return [
            message.shape(int(first), self.values[rows], self.labels[rows])
            for first, rows in zip(self.first, self.rows, strict=True)
        ]

    def keeping(self, kept: Sequence[np.ndarray]) -> "Clients":
        """Return these clients with some of their rows: booleans like the rows of each."""
        return replace(self, rows=[rows[some] for rows, some in zip(self.rows, kept, strict=True)])


def right_on(rows: LabelledRows) -> HeadEvaluation:
    """Return what counts the rows that heads have right."""

    def right(heads: Sequence[LinearHead]) -> np.ndarray:
        return np.array(
            [np.count_nonzero(head.scores(rows.values).argmax(axis=1) == rows.labels)
             for head in heads]
        )  # fmt: skip

    return right


def evaluation_by_clients(
    clients: Clients, places: Sequence[int], post: Post, counts: dict[str, Any]
) -> HeadEvaluation:
    """Return what sends heads to held-out clients and sums up their answers.

    Args:
        clients: who holds what.
        places: of the held-out clients.
        post: through which heads and answers go; an answer that is lost does not count.
        counts: what the messages come to, brought up to date.
    """

    def right(heads: Sequence[LinearHead]) -> np.ndarray:
        owners = clients.owner[places]
        numbers = len(heads) * (heads[0].weights.size + heads[0].bias.size)
        post.down({"weights": np.full(len(places), numbers)}, owners)
        receipt = post.up({"scores": np.full(len(places), len(heads))}, owners)
        counts.update(post.totals(range(1)))
        arrived = [index for index, here in zip(places, receipt.arrives, strict=True) if here]
        return right_on(clients.held_by(arrived))(heads)

    return right
