"""Audits of a whole training in one run, in the form of f-differential privacy.

The data hold m canaries, each of which is one of two things by a fair coin, and whose gradients are
orthogonal. After the run an adversary guesses some of the coins, those that it is surest of. How
many guesses may be right under a trade-off curve is bounded by the recursion of Mahloujifar, Melis
and Chaudhuri (2024, arXiv 2410.22235), which is tighter than one pair of epsilon and delta allows.

What comes out is a lower bound: an epsilon that the training cannot have less than, at the given
confidence. It is often far below the stated one, and 0 proves nothing.
"""

from collections.abc import Callable
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from fbftl.privacy.tradeoffs import TradeOff

MOST_CANARIES = 1_000

SHARES = (1.0, 0.2)
"""Of the canaries that an adversary guesses; each has its part of the error."""

LEAST, MOST = 1e-3, 100.0
"""Epsilons between which the least is sought that is not refuted."""


def refuted(curve: TradeOff, canaries: int, guesses: int, right: int, error: float) -> bool:
    """Tell whether so many right guesses are less likely than an error under a curve.

    Args:
        curve: what is stated; its inverse is taken to be its own, as both directions hold.
        canaries: m, each of one of two kinds.
        guesses: canaries whose kind is guessed.
        right: guesses that are right.
        error: probability with which a right statement is refuted at most.
    """
    part = error * guesses / canaries
    # Weighted probabilities of at least i right guesses, and of the wrong ones beside them.
    hits, misses = part * right / guesses, part * (guesses - right) / guesses
    for count in range(right - 1, -1, -1):
        more = max(misses, 1 - float(curve.power(1 - hits)))
        hits += count / (guesses - count) * (more - misses)
        misses = more
    return hits + misses > guesses / canaries


def least_epsilon_of_run(
    scores: NDArray[np.float64],
    kinds: NDArray[np.bool_],
    curve_of: Callable[[float], TradeOff],
    error: float = 0.05,
) -> float:
    """Return an epsilon that one run proves its training cannot lie below.

    Args:
        scores: (m,) of the canaries, above 0 where the second kind is guessed, farther from 0 the
            surer.
        kinds: (m,) whether each is of the second kind.
        curve_of: from epsilon to the trade-off curve that it states.
        error: probability with which the bound is wrong at most.

    Raises:
        ValueError: if there are more canaries than are taken for orthogonal.
    """
    canaries = len(scores)
    if canaries > MOST_CANARIES:
        raise ValueError(f"{canaries} canaries are more than {MOST_CANARIES}")
    surest = np.argsort(-np.abs(scores), kind="stable")
    is_right = ((scores > 0) == kinds)[surest]
    return max(
        _least(curve_of, canaries, guesses, int(is_right[:guesses].sum()), error / len(SHARES))
        for guesses in (round(share * canaries) for share in SHARES)
    )


def _least(
    curve_of: Callable[[float], TradeOff], canaries: int, guesses: int, right: int, error: float
) -> float:
    low, high = log(LEAST), log(MOST)
    if not refuted(curve_of(LEAST), canaries, guesses, right, error):
        return 0.0
    while high - low > 0.01:
        middle = (low + high) / 2
        if refuted(curve_of(exp(middle)), canaries, guesses, right, error):
            low = middle
        else:
            high = middle
    return exp(low)
