"""One Gaussian of each class under noise, as FedPFT's private clients send (arXiv 2402.01862).

A client sends of every class, whether it has samples of it or not, their number, their sum and the
sum of their squares, by dimension under diagonal covariances, of their length under spherical ones.
All of it has one Gaussian noise. A sample of length one at most moves these as far at most as it
moves statistics (`privacy.statistics`): its squares are no longer than its length squared. What the
server makes of them, a mean and a variance, costs no privacy. The source noises means and
covariances instead, each class by itself; the noise here is ours.
"""

from dataclasses import dataclass

import numpy as np

from fbftl.ground.randomness import stream
from fbftl.messages.statistics import LabelledRows
from fbftl.methods.one_shot.message import Shape, Summaries, Summary, SummaryMessage, Table
from fbftl.methods.one_shot.mixtures import Fitting, Mixture


@dataclass(frozen=True)
class GaussiansMessage(SummaryMessage):
    """Counts, sums and sums of squares of every class, under noise.

    classes: number of classes N.
    width: dimensions d of a feature.
    fitting: floor of variances, and whether a class has one variance for all dimensions.
    noise: standard deviation of the noise on every number.
    seed: of that noise.
    drawn_by: the repetition's seed, for what the server draws.
    """

    classes: int
    width: int
    fitting: Fitting
    noise: float
    seed: int
    drawn_by: int

    def shape(self, client: int, values: np.ndarray, labels: np.ndarray) -> Shape:
        """Return what the message of a client holds, whatever its samples."""
        return Shape(self.classes, ((self.classes, self._numbers - 1, False),), self.classes)

    def summary(self, client: int, values: np.ndarray, labels: np.ndarray) -> Summary:
        """Return a client's summary, under noise of its own."""
        draws = stream(self.seed, "statistics_noise", client)
        noise = draws.standard_normal((self.classes, self._numbers))
        noised = self.sums(values, labels) + self.noise * noise
        return Summary(noised[:, 0], (Table(noised[:, 1:]),), self.classes)

    def sums(self, values: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return each class's count, sum and sum of squares, (N, 1 + d + 1) or (N, 1 + 2 d)."""
        squares = values.astype(np.float64) ** 2
        if self.fitting.spherical:
            squares = squares.sum(axis=1, keepdims=True)
        rows = np.hstack([np.ones((len(values), 1)), values, squares])
        member = np.arange(self.classes)[:, None] == labels
        return member.astype(np.float64) @ rows

    def combined(self, received: Summaries) -> LabelledRows:
        """Return virtual samples of every client and class whose count came out as one or more."""
        drawn = []
        for client, summary in received:
            draws = stream(self.drawn_by, "virtual", client)
            for label in np.flatnonzero(np.rint(summary.counts) >= 1):
                count = round(float(summary.counts[label]))
                gaussian = self._gaussian(count, summary.tables[0].rows[label].astype(np.float64))
                whose = np.full(count, label), np.full(count, client)
                drawn.append(LabelledRows(gaussian.draw(count, draws), *whose))
        return LabelledRows.joined(drawn, self.width)

    def _gaussian(self, count: int, sums: np.ndarray) -> Mixture:
        """Return the Gaussian of a class, its mean no longer than a sample can be."""
        mean, squares = np.split(sums / count, [self.width])
        mean = mean / max(1.0, float(np.linalg.norm(mean)))
        if self.fitting.spherical:
            variances = (squares - mean @ mean) / self.width
        else:
            variances = squares - mean**2
        # One variance of a sample of length one is one at most; noise may say more, or less than 0.
        bounded = np.clip(variances, self.fitting.least_variance, 1.0)
        return Mixture(np.ones(1), mean[None], bounded[None])

    @property
    def _numbers(self) -> int:
        """Numbers of a class."""
        return 1 + self.width + (1 if self.fitting.spherical else self.width)
