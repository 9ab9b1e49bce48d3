"""Trade-off curves: how often a guarantee lets an adversary be right, by how often it is wrong.

An adversary decides from an output whether a record was there. A guarantee bounds its rate of true
positives at every rate of false ones; here are these bounds, 1 - f of f-differential privacy (Dong,
Roth and Su 2022, arXiv 1905.02383), for every kind of guarantee that the project states. They say
more than one pair of epsilon and delta: at epsilon 8 half of the noise hardly moves delta's tail,
and moves the curve everywhere.

A guarantee holds in both directions, so that of a curve that is not symmetric the larger bound
counts.
"""

from dataclasses import dataclass
from math import exp, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fbftl.privacy import accounting
from fbftl.privacy.accounting import Adjacency
from fbftl.privacy.noise import keep_probability

Floats = NDArray[np.float64]


class TradeOff(Protocol):
    """A guarantee as its trade-off curve."""

    def power(self, alarms: ArrayLike) -> Floats:
        """Return the largest rate of true positives at rates of false ones, elementwise."""


@dataclass(frozen=True)
class GaussianTradeOff:
    """Of Gaussian noise: to tell N(0, 1) from N(mu, 1).

    mu: how far a record moves the output, in standard deviations of the noise.
    """

    mu: float

    def power(self, alarms: ArrayLike) -> Floats:
        """Return Phi(Phi^-1(alarms) + mu)."""
        from scipy.special import ndtr, ndtri

        return ndtr(ndtri(np.asarray(alarms, dtype=np.float64)) + self.mu)


@dataclass(frozen=True)
class LaplaceTradeOff:
    """Of Laplace noise of scale 1 on a number that a record moves by epsilon."""

    epsilon: float

    def power(self, alarms: ArrayLike) -> Floats:
        """Return the bound of Dong, Roth and Su (2022), Eq. (7)."""
        rates = np.asarray(alarms, dtype=np.float64)
        steep = exp(-self.epsilon)
        with np.errstate(divide="ignore"):
            middle = 1 - steep / (4 * np.maximum(rates, np.finfo(float).tiny))
        low = np.where(rates < steep / 2, rates / steep, middle)
        return np.where(rates > 0.5, 1 - steep * (1 - rates), low)


@dataclass(frozen=True)
class ResponseTradeOff:
    """Of randomised response: to tell one label's answers from another's.

    epsilon: of the response.
    classes: number of labels N, of which all but two say nothing of which of these two it was.
    """

    epsilon: float
    classes: int

    def power(self, alarms: ArrayLike) -> Floats:
        """Return the bound, linear between (0, 0), (q, p), (1 - p, 1 - q) and (1, 1)."""
        kept = keep_probability(self.epsilon, self.classes)
        moved = (1 - kept) / (self.classes - 1)
        return np.interp(alarms, [0, moved, 1 - kept, 1], [0, kept, 1 - moved, 1])


@dataclass(frozen=True, eq=False)
class AccountantsTradeOff:
    """Of whatever an accountant composes, which says a delta at every epsilon.

    epsilons: (k,) from 0 on.
    deltas: (k,) of each, in both directions.
    """

    epsilons: Floats
    deltas: Floats

    def power(self, alarms: ArrayLike) -> Floats:
        """Return the least of e^epsilon alarms + delta and 1 - e^-epsilon (1 - alarms - delta)."""
        rates = np.asarray(alarms, dtype=np.float64)[..., None]
        steep = np.exp(self.epsilons)
        rising = steep * rates + self.deltas
        falling = 1 - (1 - self.deltas - rates) / steep
        return np.minimum(np.minimum(rising, falling).min(axis=-1), 1.0)


def gaussian_tradeoff(epsilon: float, delta: float) -> GaussianTradeOff:
    """Return the curve of the Gaussian noise that is exactly (epsilon, delta).

    Raises:
        UserError: if epsilon is not positive or delta is not between 0 and 1.
    """
    return GaussianTradeOff(1 / accounting.gaussian_sigma(epsilon, delta, "zero-out"))


def concentrated_tradeoff(epsilon: float, delta: float) -> GaussianTradeOff:
    """Return the curve of the Gaussian noise whose zCDP is known to give (epsilon, delta).

    Sums of discrete Gaussians are so near to it that no test tells them apart.
    """
    return GaussianTradeOff(sqrt(2 * accounting.zcdp_rho(epsilon, delta)))


def together(*releases: GaussianTradeOff) -> GaussianTradeOff:
    """Return the curve of several Gaussian releases of one record."""
    return GaussianTradeOff(sqrt(sum(release.mu**2 for release in releases)))


EPSILONS = np.concatenate([np.linspace(0, 4, 81), np.linspace(4.2, 16, 60)])
"""At which an accountant is asked."""


def sampled_tradeoff(
    multiplier: float,
    rate: float,
    adjacency: Adjacency,
    epsilons: Floats = EPSILONS,
) -> AccountantsTradeOff:
    """Return the curve of one Gaussian sum over Poisson-sampled records, by PLD.

    Args:
        multiplier: noise standard deviation over the clip norm.
        rate: probability with which a record takes part.
        adjacency: which data count as neighbours.
        epsilons: at which the accountant is asked.
    """
    accountant = accounting.pld_accountant(adjacency)
    accountant.compose(accounting.sampled_rounds(multiplier, rate, 1))
    deltas = [float(accountant.get_delta(epsilon)) for epsilon in epsilons]
    return AccountantsTradeOff(epsilons, np.array(deltas))
