"""Say how many seeds decide an effect of a given size at a given spread over seeds.

    PYTHONPATH=scripts python scripts/tools/count_seeds.py --effect 1.0 --spread 0.8 [--tested 12]

The two-sided interval of Student for n paired differences of standard deviation s, at level
1 - 0.05/m for m tests, excludes 0 with probability 1 - F(t; n - 1, sqrt(n) effect/s), where F is
the noncentral t distribution and t the quantile at 1 - 0.05/(2m). Where the spread was found over a
few seeds, `--found-over` takes its upper limit, sqrt((k - 1)/chi2) times as large.
"""

import argparse
import math
from bisect import bisect_left
from collections.abc import Sequence

from fbftl.findings.published import LEAST_SEEDS
from fbftl.papers.claim_rule import LEVEL
from scipy.special import chdtri, nctdtr, stdtrit

POWER = 0.9
"""With which an effect is to be decided."""

CERTAINTY = 0.8
"""Of the upper limit of a spread."""

MOST = 1_000_000
"""Seeds at which the search ends."""


def upper_spread(spread: float, seeds: int) -> float:
    """Return the upper limit of a standard deviation found over some seeds, two or more."""
    return spread * math.sqrt((seeds - 1) / float(chdtri(seeds - 1, CERTAINTY)))


def power(seeds: int, effect: float, spread: float, tested: int) -> float:
    """Return the probability that the interval lies above 0.

    Args:
        seeds: n, two or more.
        effect: true difference, above 0.
        spread: true standard deviation of the paired differences, above 0, in the effect's unit.
        tested: m, tests that share the error rate.
    """
    quantile = stdtrit(seeds - 1, 1 - (1 - LEVEL) / tested / 2)
    return float(1 - nctdtr(seeds - 1, math.sqrt(seeds) * effect / spread, quantile))


def seeds_needed(effect: float, spread: float, tested: int = 1) -> int | None:
    """Return the fewest seeds with the power `POWER`, at least three; None above a million."""
    if spread == 0:
        return LEAST_SEEDS
    counts = range(LEAST_SEEDS, MOST + 1)
    place = bisect_left(counts, POWER, key=lambda n: power(n, effect, spread, tested))
    return counts[place] if place < len(counts) else None


def main(arguments: Sequence[str] | None = None) -> str:
    """Return the answer in a sentence."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--effect", type=float, required=True)
    parser.add_argument("--spread", type=float, required=True)
    parser.add_argument("--tested", type=int, default=1, help="tests that share the error rate")
    parser.add_argument("--found-over", type=int, help="seeds over which the spread was found")
    given = parser.parse_args(arguments)
    if given.effect <= 0 or given.spread < 0 or given.tested < 1 or (given.found_over or 2) < 2:
        parser.error("give an effect above 0, a spread of 0 or more, one test or more, two seeds")
    spread = (
        given.spread if given.found_over is None else upper_spread(given.spread, given.found_over)
    )
    needed = seeds_needed(given.effect, spread, given.tested)
    shown = f"more than {MOST:,}" if needed is None else f"{needed:,}"
    return (
        f"{shown} seeds decide {given.effect:g} at a spread of {spread:.3g} with {POWER:.0%} power"
    )


if __name__ == "__main__":
    print(main())
