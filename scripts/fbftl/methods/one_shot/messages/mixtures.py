"""Gaussian mixtures of each class's features, from which the server draws samples (FedPFT).

Under noise a client sends one Gaussian a class (arXiv 2402.01862): of every class, whether it has
samples of it or not, their number, their sum and the sum of their squares, by dimension under
diagonal covariances, of their length under spherical ones. All of it has one Gaussian noise. A
sample of length one at most moves these as far at most as it moves statistics
(`privacy.statistics`): its squares are no longer than its length squared. What the server makes of
them, a mean and a variance, costs no privacy. The source noises means and covariances instead, each
class by itself; the noise here is ours.

A component is told as its weight, its mean and its variances: 2 d + 1 numbers under diagonal
covariances, d + 2 under spherical ones, which have one variance for all dimensions. One of a single
sample *is* that sample, so that variances have a floor and a component a least number of samples.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from fbftl.ground.errors import required
from fbftl.ground.randomness import stream
from fbftl.messages.statistics import LabelledRows
from fbftl.methods.one_shot.message import Shape, Summaries, Summary, SummaryMessage, Table, Terms

ONE_HELD_OUT_IN = 5
"""Of so many samples of a class one is held out, to choose the number of components by."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture of G normal distributions with diagonal or spherical covariances.

    weights: (G,) shares that add up to one.
    means: (G, d).
    variances: (G, d), or (G, 1) where they are spherical; none below the floor.
    """

    weights: np.ndarray
    means: np.ndarray
    variances: np.ndarray

    @classmethod
    def of_rows(cls, rows: np.ndarray, width: int) -> "Mixture":
        """Return the mixture that `rows` tells; weights that were quantised are made shares.

        Args:
            rows: (G, 2 d + 1) of diagonal, (G, d + 2) of spherical covariances.
            width: dimensions d.
        """
        weights, means, variances = np.split(rows, [1, 1 + width], axis=1)
        shares = np.maximum(weights[:, 0], 0).astype(np.float64)
        even = np.full(len(rows), 1 / len(rows))
        shares = shares / shares.sum() if shares.sum() > 0 else even
        return cls(shares, means, np.maximum(variances, 0))

    def rows(self) -> np.ndarray:
        """Return what is told of each component, (G, 2 d + 1) or (G, d + 2)."""
        return np.hstack([self.weights[:, None], self.means, self.variances])

    def draw(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Return virtual samples (count, d) float32."""
        of = rng.choice(len(self.weights), size=count, p=self.weights)
        noise = rng.standard_normal((count, self.means.shape[1]))
        return (self.means[of] + np.sqrt(self.variances[of]) * noise).astype(np.float32)

    def log_likelihood(self, samples: np.ndarray) -> float:
        """Return the mean logarithm of the density at samples (n, d)."""
        from scipy.special import logsumexp

        x = samples.astype(np.float64)
        spread = np.log(2 * np.pi * np.broadcast_to(self.variances, self.means.shape)).sum(axis=1)
        distance = [
            ((x - mean) ** 2 / variance).sum(axis=1)
            for mean, variance in zip(self.means, self.variances, strict=True)
        ]
        logs = -(np.array(distance) + spread[:, None]) / 2
        return float(logsumexp(logs, axis=0, b=self.weights[:, None]).mean())


@dataclass(frozen=True)
class Fitting:
    """How mixtures are fitted.

    least_variance: floor of every variance.
    spherical: whether a component has one variance for all dimensions.
    """

    least_variance: float
    spherical: bool = False

    def fitted(self, samples: np.ndarray, components: int, rng: np.random.Generator) -> Mixture:
        """Return the mixture of samples (n, d) by scikit-learn's EM, which k-means begins.

        Args:
            samples: at least as many as components.
            components: G.
            rng: draws where k-means++ begins.
        """
        x = samples.astype(np.float64)
        if components == 1:
            variances = x.var(axis=0)
            if self.spherical:
                variances = variances.mean(axis=-1, keepdims=True)
            variances = np.maximum(variances, self.least_variance)
            return Mixture(np.ones(1), x.mean(axis=0)[None], variances[None])
        # Slow to import, and sums over threads in whatever order: one thread makes equal bytes.
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.mixture import GaussianMixture
        from threadpoolctl import threadpool_limits

        model = GaussianMixture(
            components,
            covariance_type="spherical" if self.spherical else "diag",
            reg_covar=self.least_variance,
            random_state=int(rng.integers(2**31)),
        )
        with threadpool_limits(1, "openmp"), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(x)
        # What EM adds to every variance is a floor here.
        variances = model.covariances_.reshape(components, -1) - self.least_variance
        return Mixture(model.weights_, model.means_, np.maximum(variances, self.least_variance))

    def chosen(
        self, samples: np.ndarray, candidates: Iterable[int], rng: np.random.Generator
    ) -> int:
        """Return the number of components under which held-out samples are likeliest.

        One sample in `ONE_HELD_OUT_IN` is held out, one at least; mixtures are fitted to the rest.

        Args:
            samples: (n, d) of a class, at least two.
            candidates: numbers of components, none above what is not held out; of equally likely
                ones the first is taken.
            rng: draws what is held out, and where k-means++ begins.
        """
        order = rng.permutation(len(samples))
        held_out, kept = np.split(samples[order], [held_out_count(len(samples))])
        likelihoods = {
            size: self.fitted(kept, size, rng).log_likelihood(held_out) for size in candidates
        }
        return max(likelihoods, key=likelihoods.__getitem__)


def held_out_count(samples: int) -> int:
    """Return how many of a class's samples are held out to choose by."""
    return max(1, samples // ONE_HELD_OUT_IN)


GIVES = "drawn rows"
REVEALS = "each client's class means and variances, its samples where a component has one"


def message(terms: Terms) -> SummaryMessage:
    """Return how clients make theirs: under noise, of one Gaussian a class, they are sums."""
    setting, block, guarantee = terms.setting, terms.block, terms.guarantee
    # Features are scaled by their clip norm where there is one.
    least_variance = block["least_variance"] / (guarantee.clip_norm or 1.0) ** 2
    fitting = Fitting(least_variance, setting.covariance == "spherical")
    sizes = terms.classes, terms.width
    if guarantee.noise_std is not None:
        return GaussiansMessage(*sizes, fitting, guarantee.noise_std, terms.noised_by, terms.seed)
    components = [setting.components] if setting.components else block["components"]
    least = block["least_samples"]
    return MixturesMessage(*sizes, tuple(sorted(components)), fitting, least, terms.seed)


@dataclass(frozen=True)
class MixturesMessage(SummaryMessage):
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
        drawn = []
        for client, summary in received:
            table, draws = summary.tables[0], stream(self.seed, "virtual", client)
            for label, count in zip(np.unique(required(table.labels)), summary.counts, strict=True):
                mixture = Mixture.of_rows(table.rows[table.labels == label], self.width)
                whose = np.full(int(count), label), np.full(int(count), client)
                drawn.append(LabelledRows(mixture.draw(int(count), draws), *whose))
        return LabelledRows.joined(drawn, self.width)


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
