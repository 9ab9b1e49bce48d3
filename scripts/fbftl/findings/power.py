"""How many seeds decide a sentence: the power of Student's interval against half the printed size.

With n seeds, whose paired differences have the standard deviation s, the interval of
`findings.sentence_rule` at level 1 - 0.05/m lies above 0 if √n times the mean over the spread found
exceeds the quantile t of Student's distribution at 1 - 0.05/(2m), with n - 1 degrees of freedom.
Where the true difference is h, that statistic has the noncentral t distribution with n - 1 degrees
of freedom and noncentrality √n h/s, so that the interval is decided with the probability

    1 - F(t; n - 1, √n h/s).

A pilot knows s from a few seeds alone, so its upper limit is taken: of k seeds of spread s' it is
√((k - 1)/χ²) s', with the quantile of χ² at 1 - 0.8 with k - 1 degrees of freedom, which is 1.56 s'
for k = 5.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scipy.special import chdtri, nctdtr, stdtrit

from fbftl.findings.comparison import LEAST_SEEDS
from fbftl.findings.sentence_rule import ERRORS

POWER = 0.9
"""With which a study is to decide a difference of h."""

CERTAINTY = 0.8
"""Of the upper limit of a spread."""

MOST_SEEDS = 40
"""Of a full study."""

BEYOND = 1_000_000
"""Seeds at which the search ends."""


@dataclass(frozen=True)
class Pilot:
    """What a pilot found of one comparison of a sentence.

    name: for readers: sentence, part and task.
    half: h, above 0, in the unit in which the sentence is judged.
    spread: standard deviation of the paired differences over seeds, in the same unit.
    seeds: over how many, two or more.
    tested: m, how many sentences of the system are tested.
    """

    name: str
    half: float
    spread: float
    seeds: int
    tested: int

    @property
    def needed(self) -> int | None:
        """The fewest seeds with which a full study has the power; none where `BEYOND` would not do.

        By the upper limit of the spread.
        """
        return seeds_needed(self.half, upper_spread(self.spread, self.seeds), self.tested)


def upper_spread(spread: float, seeds: int) -> float:
    """Return the upper limit of a standard deviation that was found over some seeds.

    Args:
        spread: standard deviation over the seeds, of normal values.
        seeds: how many, two or more.
    """
    return spread * math.sqrt((seeds - 1) / float(chdtri(seeds - 1, CERTAINTY)))


def spread_within(lower: float, upper: float, seeds: int, tested: int) -> float:
    """Return the standard deviation over seeds from which the interval of a mean was computed.

    Args:
        lower, upper: ends of the interval, by `findings.sentence_rule`.
        seeds: over how many, two or more.
        tested: m, how many sentences of the system are tested.
    """
    quantile = stdtrit(seeds - 1, 1 - ERRORS / tested / 2)
    return float((upper - lower) / 2 * math.sqrt(seeds) / quantile)


def power(seeds: int, half: float, spread: float, tested: int) -> float:
    """Return with which probability the interval lies above 0 if the true difference is h.

    Args:
        seeds: how many, two or more.
        half: h, above 0.
        spread: true standard deviation of the paired differences, above 0, in the unit of h.
        tested: m, how many sentences of the system are tested.
    """
    quantile = stdtrit(seeds - 1, 1 - ERRORS / tested / 2)
    return float(1 - nctdtr(seeds - 1, math.sqrt(seeds) * half / spread, quantile))


def seeds_needed(half: float, spread: float, tested: int) -> int | None:
    """Return the fewest seeds with which a difference of h is decided with the power `POWER`.

    Args:
        half: h, above 0.
        spread: true standard deviation of the paired differences, in the unit of h.
        tested: m, how many sentences of the system are tested.

    Returns:
        At least three, since fewer decide nothing; none where `BEYOND` seeds do not suffice.
    """
    if spread == 0 or power(LEAST_SEEDS, half, spread, tested) >= POWER:
        return LEAST_SEEDS
    few, enough = LEAST_SEEDS, 2 * LEAST_SEEDS
    while power(enough, half, spread, tested) < POWER:
        few, enough = enough, 2 * enough
        if few > BEYOND:
            return None
    while enough - few > 1:
        middle = (few + enough) // 2
        if power(middle, half, spread, tested) < POWER:
            few = middle
        else:
            enough = middle
    return enough


def of_study(needed: Iterable[int | None]) -> int:
    """Return the seeds of a full study: what its neediest sentence needs, at most 40."""
    return max(min(seeds or MOST_SEEDS, MOST_SEEDS) for seeds in needed)


def report(pilots: Sequence[Pilot]) -> list[str]:
    """Return, a line each, the seeds that every sentence needs, those of the study, and why.

    The last line is that of the full study's header.
    """
    needed = {pilot: pilot.needed for pilot in pilots}
    seeds = of_study(needed.values())
    width = max(len(pilot.name) for pilot in pilots)
    lines = [
        f"{pilot.name:<{width}}  spread {pilot.spread:<9.3g} h {pilot.half:<9.3g} seeds {_shown(n)}"
        for pilot, n in needed.items()
    ]
    beyond = [f"{pilot.name} ({_shown(n)})" for pilot, n in needed.items() if not _within(n)]
    if beyond:
        lines.append(f"{MOST_SEEDS} seeds decide too seldom: {', '.join(beyond)}")
        reason = f"that is the most, and {len(beyond)} of {len(pilots)} comparisons need more"
    else:
        neediest = next(pilot.name for pilot, n in needed.items() if n == seeds)
        reason = f"{neediest} needs as many"
    return [*lines, f"# Seeds: {seeds}, because {reason} for a power of {POWER:.0%} against h."]


def _within(needed: int | None) -> bool:
    return needed is not None and needed <= MOST_SEEDS


def _shown(needed: int | None) -> str:
    return f"more than {BEYOND:,}" if needed is None else f"{needed:,}"
