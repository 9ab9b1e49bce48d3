"""Class means with the spread of each dimension around them, of every class or of all together."""

from dataclasses import dataclass

import numpy as np

from fbftl.ground.errors import required
from fbftl.messages.statistics import Moments
from fbftl.methods.one_shot.message import Shape, Summaries, Summary, SummaryMessage, Table, Terms
from fbftl.methods.one_shot.messages.means import MeansMessage

GIVES = "moments"
REVEALS = "each client's class means and variances, its samples where a class has one"


def message(terms: Terms) -> "MomentsMessage":
    """Return how clients make theirs."""
    return MomentsMessage(terms.classes, terms.width, terms.setting.covariance == "shared")


@dataclass(frozen=True)
class MomentsMessage(SummaryMessage):
    """A mean of each class, and standard deviations, whose numbers spread less than variances.

    classes: number of classes N.
    width: dimensions d of a feature.
    shared: whether one row of standard deviations is for all classes of a client.
    """

    classes: int
    width: int
    shared: bool

    def shape(self, client: int, values: np.ndarray, labels: np.ndarray) -> Shape:
        """Return what the message of a client with these samples holds."""
        present = len(np.unique(labels))
        spreads = (1 if self.shared else present, self.width, False)
        return Shape(present, ((present, self.width, True), spreads), self.classes)

    def summary(self, client: int, values: np.ndarray, labels: np.ndarray) -> Summary:
        """Return a client's summary."""
        moments = Moments.of(values, labels, np.zeros_like(labels), self.classes)
        means, counts = moments.means, moments.means.counts
        scatter = moments.scatter[means.label]
        if self.shared:
            scatter, counts = scatter.sum(axis=0)[None], counts.sum()[None]
        deviations = np.sqrt(scatter / counts[:, None])
        tables = Table(means.means, means.label), Table(deviations)
        return Summary(means.counts, tables, self.classes)

    def combined(self, received: Summaries) -> Moments:
        """Return what the server has of the received summaries.

        Of a spread that classes share each has the part of its samples.
        """
        received = list(received)
        scatter = np.zeros((self.classes, self.width))
        for _, summary in received:
            of_means, deviations = summary.tables
            variances = deviations.rows.astype(np.float64) ** 2
            scatter[required(of_means.labels)] += summary.counts[:, None] * variances
        means = MeansMessage(self.classes, self.width).combined(received)
        return Moments(means, scatter)
