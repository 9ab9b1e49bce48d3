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
        nobody = LabelledRows(np.zeros((0, self.width), "f4"), *np.zeros((2, 0), np.int64))
        each = [(client, summary.tables[0]) for client, summary in received]
        values = [nobody.values, *(table.rows for _, table in each)]
        labels = [nobody.labels, *(required(table.labels) for _, table in each)]
        whose = [nobody.client, *(np.full(len(t.rows), client) for client, t in each)]
        return LabelledRows(np.vstack(values), np.concatenate(labels), np.concatenate(whose))
