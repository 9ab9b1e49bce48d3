"""Differential privacy accounting: noise from epsilon, epsilon from noise, exactly or by bounds.

A single Gaussian release is calibrated exactly (Balle and Wang 2018, arXiv 1805.06530), and so are
several steps on the same records, which together are one. Zero-concentrated DP (zCDP, Bun and
Steinke 2016) bounds them as paper thesis does. Rounds on Poisson-sampled clients are composed by
privacy loss distributions (PLD). The classical rule is here for the audit only.

A noise multiplier is the standard deviation of the noise over the clip norm c, which bounds the
L2 norm of one record's contribution. Removing or zeroing a record then moves the sum by at most
c, replacing it by 2 c.
"""

from collections.abc import Callable
from math import erfc, exp, inf, log, sqrt
from typing import TYPE_CHECKING, Any, Literal

from fbftl.ground.errors import UserError

if TYPE_CHECKING:
    from dp_accounting import DpEvent

Adjacency = Literal["add-remove", "zero-out", "replace-one"]
"""Neighbouring data: a record added or removed, replaced by a zero vector, or replaced by any."""

SENSITIVITY: dict[Adjacency, float] = {"add-remove": 1.0, "zero-out": 1.0, "replace-one": 2.0}
"""L2 sensitivity of a sum of clipped records in units of the clip norm."""

_CLOSE = 3e-5
"""How close, in log sigma, a calibrated noise multiplier comes to the smallest that is enough."""

GRID = 1e-3
"""Coarsest discretisation of the privacy loss in PLD; rounding is pessimistic, so epsilon is a
bound."""

FINEST_GRID = 1e-9
"""Below this a grid is no longer refined."""


def require_accountable(
    noise: float, delta: float = 0.5, rate: float = 1.0, rounds: int = 1
) -> None:
    """Refuse what has no guarantee: accountants say epsilon 0 of some of it, as of noise NaN.

    Args:
        noise: noise multiplier or epsilon.
        delta: delta of the guarantee.
        rate: probability with which a record takes part in a round.
        rounds: number of rounds.

    Raises:
        UserError: if one of them is out of its range.
    """
    if not (0 < noise < inf and 0 < delta < 1 and 0 < rate <= 1 and rounds >= 1):
        raise UserError(
            f"no privacy follows from {noise} as noise or epsilon, delta {delta}, sampling rate "
            f"{rate} and {rounds} rounds; give positive numbers, delta below 1, rate at most 1"
        )


def gaussian_epsilon(
    multiplier: float, delta: float, adjacency: Adjacency = "replace-one"
) -> float:
    """Return the exact epsilon of one Gaussian release.

    Args:
        multiplier: noise standard deviation over clip norm.
        delta: delta of the guarantee.
        adjacency: which data count as neighbours.
    """
    from dp_accounting import get_epsilon_gaussian

    require_accountable(multiplier, delta)
    return float(get_epsilon_gaussian(multiplier / SENSITIVITY[adjacency], delta))


def gaussian_sigma(epsilon: float, delta: float, adjacency: Adjacency = "replace-one") -> float:
    """Return the smallest noise multiplier with which a Gaussian release is (epsilon, delta)-DP."""
    from dp_accounting import get_sigma_gaussian

    require_accountable(epsilon, delta)
    return float(get_sigma_gaussian(epsilon, delta)) * SENSITIVITY[adjacency]


def gaussian_delta(
    multiplier: float, epsilon: float, adjacency: Adjacency = "replace-one"
) -> float:
    """Return the exact delta of one Gaussian release at epsilon (Balle and Wang, Eq. 6).

    delta = Phi(1/(2 s) - epsilon s) - e^epsilon Phi(-1/(2 s) - epsilon s), where s is the noise
    standard deviation over the sensitivity.
    """
    s = multiplier / SENSITIVITY[adjacency]
    return normal_cdf(1 / (2 * s) - epsilon * s) - exp(epsilon) * normal_cdf(
        -1 / (2 * s) - epsilon * s
    )


def normal_cdf(x: float) -> float:
    """Return the standard normal distribution function, accurate in the lower tail."""
    return erfc(-x / sqrt(2)) / 2


def classical_sigma(epsilon: float, delta: float) -> float:
    """Return sqrt(2 ln(1.25/delta)) / epsilon per unit of sensitivity, valid for epsilon < 1 only.

    Outside that range it under-noises; nothing but the audit uses it.
    """
    return sqrt(2 * log(1.25 / delta)) / epsilon


def classical_delta(epsilon: float, delta: float) -> float:
    """Return the delta that the classical rule really gives when asked for (epsilon, delta)."""
    return gaussian_delta(classical_sigma(epsilon, delta), epsilon, "zero-out")


def loose_zcdp_rho(epsilon: float, delta: float) -> float:
    """Return the largest rho whose zCDP is known to give (epsilon, delta): the inverse of
    `loose_zcdp_epsilon`, (sqrt(ln(1/delta) + epsilon) - sqrt(ln(1/delta)))^2.
    """
    require_accountable(epsilon, delta)
    return (sqrt(log(1 / delta) + epsilon) - sqrt(log(1 / delta))) ** 2


def loose_zcdp_epsilon(rho: float, delta: float) -> float:
    """Return the epsilon of rho-zCDP, rho + 2 sqrt(rho ln(1/delta)) (paper thesis, Lemma 4)."""
    require_accountable(rho, delta)
    return rho + 2 * sqrt(rho * log(1 / delta))


def schedule_budget(
    epsilon: float, delta: float, accountant: str, adjacency: Adjacency = "add-remove"
) -> float:
    """Return the budget R, a sum of 1/sigma_t^2, that (epsilon, delta) buys in full-batch steps.

    Args:
        epsilon: epsilon over all steps.
        delta: delta over all steps.
        accountant: zcdp as paper thesis has it, 2 rho; or exact, 31 % more at (4, 1e-8).
        adjacency: which data count as neighbours.
    """
    if accountant == "zcdp":
        return 2 * loose_zcdp_rho(epsilon, delta) / SENSITIVITY[adjacency] ** 2
    return gaussian_sigma(epsilon, delta, adjacency) ** -2


def rounds_epsilon(
    multiplier: float,
    delta: float,
    *,
    rate: float,
    rounds: int,
    adjacency: Adjacency = "add-remove",
) -> float:
    """Return epsilon of `rounds` Gaussian sums over Poisson-sampled records, by PLD.

    With rate 1 the rounds are one release with noise smaller by sqrt(rounds), which is exact.

    Args:
        multiplier: noise standard deviation over clip norm, per round.
        delta: delta of the guarantee over all rounds.
        rate: probability with which a record takes part in a round, C.
        rounds: number of rounds, I.
        adjacency: which data count as neighbours.
    """
    require_accountable(multiplier, delta, rate, rounds)
    if rate == 1:
        return gaussian_epsilon(multiplier / sqrt(rounds), delta, adjacency)
    event = sampled_rounds(multiplier, rate, rounds)

    def on(grid: float) -> float:
        accountant = pld_accountant(adjacency, grid)
        accountant.compose(event)
        return float(accountant.get_epsilon(delta))

    # Sampling never costs privacy, which the accountant's rounding would hide at a small epsilon.
    unsampled = gaussian_epsilon(multiplier / sqrt(rounds), delta, adjacency)
    return min(on_fine_grid(on), unsampled)


def on_fine_grid(epsilon_on: Callable[[float], float], grid: float = GRID) -> float:
    """Return epsilon by PLD on a grid that is fine enough for it, 1 % above its limit at most.

    What rounding adds falls with the square of the grid once that is finer than the losses of one
    release. So a grid four times as coarse adds sixteen times as much, and where it adds a tenth,
    this one adds less than a hundredth.

    Args:
        epsilon_on: from a grid to epsilon, which is a bound on any.
        grid: the coarsest.
    """
    coarse, fine = epsilon_on(4 * grid), epsilon_on(grid)
    while coarse > 1.1 * fine and grid > FINEST_GRID:
        grid /= 4
        coarse, fine = fine, epsilon_on(grid)
    return fine


def rounds_sigma(
    epsilon: float, delta: float, *, rate: float, rounds: int, adjacency: Adjacency = "add-remove"
) -> float:
    """Return the noise multiplier, to 0.01 %, at which `rounds_epsilon` just meets epsilon.

    Args:
        epsilon: epsilon over all rounds.
        delta: delta over all rounds.
        rate: probability with which a record takes part in a round, C.
        rounds: number of rounds, I.
        adjacency: which data count as neighbours.
    """
    require_accountable(epsilon, delta, rate, rounds)
    enough = gaussian_sigma(epsilon, delta, adjacency) * sqrt(rounds)
    if rate == 1:
        return enough

    def excess(log_multiplier: float) -> float:
        """Return a number with the sign of reached minus asked; finite if reached is infinite."""
        reached = rounds_epsilon(
            exp(log_multiplier), delta, rate=rate, rounds=rounds, adjacency=adjacency
        )
        return 0.5 - epsilon / (reached + epsilon)

    from scipy.optimize import brentq

    high = log(enough)
    if excess(high) >= 0:
        return enough
    low = high - log(2)
    while excess(low) <= 0:
        high, low = low, low - log(2)
    root = brentq(excess, low, high, xtol=_CLOSE)
    while excess(root) > 0:  # the root may lie a little on the wrong side
        root += _CLOSE
    return exp(root)


def sampled_rounds(multiplier: float, rate: float, rounds: int) -> "DpEvent":
    """Return the event of `rounds` Gaussian sums, each over Poisson-sampled records."""
    import dp_accounting as dp

    one_round = dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(multiplier))
    return dp.SelfComposedDpEvent(one_round, rounds)


def pld_accountant(adjacency: Adjacency, grid: float = GRID) -> Any:
    """Return a fresh PLD accountant under an adjacency, which rounds losses to a grid."""
    from dp_accounting.pld import PLDAccountant

    return PLDAccountant(relation_of(adjacency), value_discretization_interval=grid)


def relation_of(adjacency: Adjacency) -> Any:
    """Return what the accounting library calls an adjacency."""
    from dp_accounting import NeighboringRelation

    return {
        "add-remove": NeighboringRelation.ADD_OR_REMOVE_ONE,
        "zero-out": NeighboringRelation.REPLACE_SPECIAL,
        "replace-one": NeighboringRelation.REPLACE_ONE,
    }[adjacency]
