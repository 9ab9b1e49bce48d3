"""All features of a client with their labels, in one message under one header."""

from dataclasses import dataclass

import numpy as np

from fbftl.ground.errors import required
from fbftl.messages.statistics import LabelledRows
from fbftl.methods.one_shot.message import Shape, Summaries, Summary, SummaryMessage, Table, Terms

GIVES = "rows"
REVEALS = "every feature with its label"


def message(terms: Terms) -> "BatchMessage":
    """Return how clients make theirs."""
    return BatchMessage(terms.classes, terms.width)


@dataclass(frozen=True)
class BatchMessage(SummaryMessage):
    """A row for each sample, with its label.

    classes: number of classes N.
    width: dimensions d of a feature.
    """

    classes: int
    width: int

    def shape(self, client: int, values: np.ndarray, labels: np.ndarray) -> Shape:
        """Return what the message of a client with these samples holds."""
        return Shape(1, ((len(labels), self.width, True),), self.classes)

    def summary(self, client: int, values: np.ndarray, labels: np.ndarray) -> Summary:
        """Return a client's summary."""
        return Summary(np.array([len(labels)]), (Table(values, labels),), self.classes)

    def combined(self, received: Summaries) -> LabelledRows:
        """Return the rows of all clients, as the server reads them."""
        every = (
            LabelledRows(table.rows, required(table.labels), np.full(len(table.rows), client))
            for client, summary in received
            for table in summary.tables
        )
        return LabelledRows.joined(every, self.width)
