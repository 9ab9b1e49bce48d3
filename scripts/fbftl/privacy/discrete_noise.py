"""Discrete Gaussian noise of whole steps, in shares that clients add, and what a sum of it hides.

A discrete Gaussian of parameter s has every whole number x with probability in proportion to
exp(-x² / 2 s²) (Canonne, Kamath and Steinke 2020, arXiv 2004.00010). It is drawn by their rejection
from a discrete Laplace law; trials are floats of double precision, so that a probability is off by
some 2^-53.

A sum of A of them is nearly one of parameter √A s. By Proposition 14 of Kairouz, Liu and Steinke
(2021, arXiv 2102.06387) it gives, in dimension d against a change of length Δ, ε²/2 of concentrated
privacy with ε = Δ / (√A s) + τ √d, where τ = 10 Σ exp(-2 π² s² k / (k + 1)) over k from 1 to A - 1.
"""

from math import exp, pi, sqrt

import numpy as np

from fbftl.ground.errors import UserError

LEAST_STEPS = 4.0
"""From this parameter on τ is below 10^-60 however many shares there are, and hides in no digit."""


def discrete_gaussian(parameter: float, count: int, draws: np.random.Generator) -> np.ndarray:
    """Return discrete Gaussian noise, (count,) int64 in steps.

    Args:
        parameter: s, nearly its standard deviation, in steps.
        count: numbers.
        draws: of the trials.
    """
    scale = int(parameter) + 1
    noise = np.zeros(count, dtype=np.int64)
    missing = np.arange(count)
    while len(missing):
        candidates, possible = _laplace(scale, len(missing), draws)
        excess = np.abs(candidates) - parameter**2 / scale
        accepted = possible & _happens((excess / parameter) ** 2 / 2, draws)
        noise[missing[accepted]] = candidates[accepted]
        missing = missing[~accepted]
    return noise


def _laplace(scale: int, count: int, draws: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers in proportion to exp(-|x| / scale), and which of them were accepted."""
    rest = draws.integers(scale, size=count)
    whole = draws.geometric(1 - exp(-1), size=count) - 1
    size = rest + scale * whole
    negative = draws.integers(2, size=count).astype(bool)
    possible = _happens(rest / scale, draws) & ~(negative & (size == 0))
    return np.where(negative, -size, size), possible


def _happens(exponent: np.ndarray, draws: np.random.Generator) -> np.ndarray:
    """Return trials that happen with probability exp(-exponent)."""
    return draws.standard_exponential(len(exponent)) > exponent


def require_steps(parameter: float) -> None:
    """Refuse shares that are hardly ever a step.

    Raises:
        UserError: naming their size.
    """
    if parameter < LEAST_STEPS:
        raise UserError(
            f"a client's share of the noise is {parameter:.3g} steps of the ring, too few to hide "
            "anything; give more fraction_bits, or more noise"
        )


def tau(parameter: float, shares: int) -> float:
    """Return how far a sum of so many shares is from one discrete Gaussian."""
    exponent = 2 * pi**2 * parameter**2
    return 10 * sum(exp(-exponent * k / (k + 1)) for k in range(1, shares))


def root_of_twice_rho(moved: float, parameter: float, shares: int, numbers: int) -> float:
    """Return √(2 ρ) of the concentrated privacy ρ that a sum of shares gives: the ε of ε²/2 above.

    Args:
        moved: Δ, how far the sum moves between neighbours in L2 norm, in steps.
        parameter: s of each share, in steps.
        shares: A, that the sum has.
        numbers: d, of the sum.
    """
    return moved / (sqrt(shares) * parameter) + tau(parameter, shares) * sqrt(numbers)


def moved_by(sensitivity: float, numbers: int, fraction_bits: int) -> float:
    """Return how far a message moves in steps that moves by a sensitivity before it is rounded.

    Each number is rounded to the nearest step, so that two of them move apart by one more at most.

    Args:
        sensitivity: L2 norm of what moves.
        numbers: d, of the message.
        fraction_bits: bits behind the point.
    """
    return sensitivity * 2.0**fraction_bits + sqrt(numbers)
