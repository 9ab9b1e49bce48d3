"""Schedules of noise: how a privacy budget is shared out over steps of noisy gradient descent.

Step t adds noise of standard deviation sigma_t G / N to a mean of N gradients of norm at most G.
Whatever its order, a schedule costs the sum of 1/sigma_t^2, which is its budget R (paper thesis,
ch. 2): R/2-zCDP, and exactly one Gaussian release of noise multiplier 1/sqrt(R). The loss after
the last step grows by the sum of q_t sigma_t^2, where q_t is the influence of step t (Eq. 2.7);
noise is best put where it has least of it (Lemma 1).

Numbers only: a schedule is its (T,) noise multipliers, first step first.
"""

from collections.abc import Callable
from math import log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fbftl.ground.errors import UserError

Floats = NDArray[np.float64]

ROUNDING = 1e-9
"""Share of a budget by which a schedule that spends all of it may overdraw by rounding."""


def spent(multipliers: ArrayLike) -> float:
    """Return what a schedule costs, the sum of 1/sigma_t^2."""
    return float((np.asarray(multipliers, dtype=np.float64) ** -2.0).sum())


def affordable(multipliers: Floats, budget: float) -> int:
    """Return how many steps of a schedule a budget pays for (thesis, Alg. 2.1).

    The printed test is strict and refuses the last step of a schedule that spends all (A4).

    Raises:
        UserError: if it does not pay for the first step.
    """
    paid = int((np.cumsum(multipliers**-2.0) <= budget * (1 + ROUNDING)).sum())
    if paid == 0:
        raise UserError(
            f"a privacy budget R of {budget:g} is below the {multipliers[0] ** -2.0:g} that the "
            "first step costs; give a larger epsilon, or more noise"
        )
    return paid


def optimal(budget: float, influence: ArrayLike) -> Floats:
    """Return the schedule that is best for any influence q > 0 (thesis, Lemma 1, Eq. 2.10).

    Args:
        budget: R, spent to the last bit.
        influence: q_t of each step, (T,).
    """
    root = np.sqrt(np.asarray(influence, dtype=np.float64))
    return np.sqrt(root.sum() / (budget * root))


def uniform(budget: float, steps: int) -> Floats:
    """Return equal noise at every step, sigma^2 = T/R."""
    return optimal(budget, np.ones(steps))


def exponential(budget: float, steps: int, decay: float) -> Floats:
    """Return noise that falls exponentially, its first variance `decay` times its last (thesis,
    Sec. 2.4.3: the schedule of the experiments).
    """
    return optimal(budget, gradient_influence(steps, gamma_of(decay, steps)))


def gamma_of(decay: float, steps: int) -> float:
    """Return the contraction gamma per step at which `exponential` is the best schedule."""
    return decay ** (-2 / max(steps - 1, 1))


def gradient_influence(steps: int, gamma: float) -> Floats:
    """Return gamma^(T-t), the influence of step t on plain descent up to a factor (Eq. 2.7)."""
    return gamma ** np.arange(steps - 1, -1, -1.0)


def fitted_gamma(steps: int, at: ArrayLike, influence: ArrayLike, errors: ArrayLike) -> float:
    """Return the gamma at which c gamma^(T-t) is closest to measured influence, with any c.

    ln q is then linear in t. Least squares over the errors, on influence itself: where it is small
    its estimate may be negative, which has no logarithm.

    Args:
        steps: T.
        at: steps t that were measured.
        influence: what was measured there.
        errors: standard errors of these.
    """
    from scipy.optimize import minimize_scalar

    left = steps - np.asarray(at, dtype=np.float64)
    measured, weights = np.asarray(influence), 1 / np.asarray(errors)

    def missed(rate: float) -> float:
        shape = weights * np.exp(-rate * left)
        level = shape @ (weights * measured) / (shape @ shape)
        return float(((weights * measured - level * shape) ** 2).sum())

    # From influence that falls tenfold over the steps to one that rises within a single step.
    best = minimize_scalar(missed, bounds=(-2.3 / steps, 1.0), method="bounded")
    return float(np.exp(-best.x))


def momentum_influence(steps: int, gamma: float, beta: float) -> Floats:
    """Return the influence of each step's noise under bias-corrected momentum.

    It is the coefficient of sigma_i^2 in U_3 of Thm 5, w_i = sum over t >= i of
    gamma^(T-t) (1-beta)^2 / (1-beta^t)^2 beta^(2(t-i)). Without momentum, `gradient_influence`.
    """
    t = np.arange(1, steps + 1)
    weight = gamma ** (steps - t.astype(float)) * ((1 - beta) / (1 - beta**t)) ** 2
    later = t[None, :] - t[:, None]
    reach = np.where(later >= 0, float(beta) ** (2.0 * np.maximum(later, 0)), 0.0)
    return reach @ weight


def named(schedule: str, budget: float, steps: int, decay: float, momentum: float = 0.0) -> Floats:
    """Return the schedule that a setting names.

    Args:
        schedule: uniform; exp, which falls by `decay`; or dynamic, the best one for the influence
            under momentum at that schedule's contraction.
        budget: R.
        steps: T.
        decay: first over last variance of `exp`.
        momentum: beta.
    """
    match schedule:
        case "uniform":
            return uniform(budget, steps)
        case "exp":
            return exponential(budget, steps, decay)
        case "dynamic":
            influence = momentum_influence(steps, gamma_of(decay, steps), momentum)
            return optimal(budget, influence)
    raise ValueError(f"no schedule is named {schedule}")


# --- what the excess loss is bounded by, over the initial one (thesis, ERUB) -------------------


def uniform_bound(steps: int, alpha: float, gamma: float) -> float:
    """Return the bound under uniform noise: gamma^T + alpha kappa T (1 - gamma^T)."""
    left = gamma**steps
    return left + alpha * steps * (1 - left) / (1 - gamma)


def dynamic_bound(steps: int, alpha: float, gamma: float) -> float:
    """Return the bound under the best noise: gamma^T + A (1 - gamma^(T/2))^2."""
    root = sqrt(gamma)
    return gamma**steps + alpha / (1 - root) ** 2 * (1 - root**steps) ** 2


def best_steps(
    bound: Callable[[int, float, float], float], alpha: float, gamma: float, most: int
) -> int:
    """Return the number of steps, from 0 to `most`, with the lowest bound."""
    return min(range(most + 1), key=lambda steps: bound(steps, alpha, gamma))


def printed_steps(alpha: float, kappa: float) -> float:
    """Return the best number of steps as Thm 4 prints it, 2 kappa ln(1 + 1/(kappa alpha)) (A3)."""
    return 2 * kappa * log(1 + 1 / (kappa * alpha))
