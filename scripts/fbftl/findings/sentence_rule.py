"""The rule by which every sentence of a paper is judged: one interval, one verdict.

What is judged is a difference of two sides, paired by seed, in the direction that the sentence
gives it; a ratio is judged by its logarithm. Its interval is Student's, two-sided, at level
1 - 0.05/m, where m is how many sentences of the same system are tested: of a system in which
nothing makes any difference, one sentence or more is decided in 5 % of cases at most. The interval
is what the tables print, so that the verdict can be read off it.

h is half of the printed difference. Where no difference is printed, h is this project's choice: one
point of accuracy, or 10 % of a cost or of a number of rounds.

A sentence that the one side is *more* than the other, by a printed margin or by any amount (0),

- *holds* if the interval lies above the margin,
- is such that *the contrary holds* if it lies below,
- makes *no difference of half the printed size* if it lies inside ±h, and
- is *undecided* otherwise, and always below three seeds.

A sentence that this is so *in some case* holds if the interval lies above the margin, and is
undecided otherwise: a case without it does not show that there is none with it.

A sentence that both are *equal* holds if the interval lies inside a band, the contrary holds if it
lies outside, and it is undecided where it crosses an end. The band is not h: the difference that a
paper prints where it calls two numbers equal is one that it takes for none, so that the band must
reach as far, or the paper's own numbers would contradict it. Nor is it narrower than where nothing
is printed, since no number of seeds would show an equality to a hundredth of a point.

A sentence that the one side is *no less* than the other is the upper half of this: it holds if the
interval lies above the lower end of the band, the contrary holds if it lies below.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from scipy.special import stdtrit

from fbftl.findings.comparison import LEAST_SEEDS, ROUNDING, Measured

ERRORS = 0.05
"""Share of systems of true null effects in which any sentence may be decided."""

POINTS = {"points": 1.0, "share": 0.01, "rates": 0.01}
"""h where nothing is printed, in units of accuracy: a point."""

COST = 0.1
"""h where nothing is printed and a cost or a number of rounds is compared: this share of it."""


class Judgement(StrEnum):
    """What a sentence comes to."""

    HOLDS = "holds"
    CONTRARY = "the contrary holds"
    NO_DIFFERENCE = "no difference of half the printed size"
    UNDECIDED = "undecided"
    DEPENDS = "depends on the case"


class Form(StrEnum):
    """What a sentence says of its second side beside the first."""

    MORE = "more"
    MORE_IN_SOME_CASE = "more in some case"
    EQUAL = "equal"
    NO_LESS = "no less"


ORDERS = (Form.MORE, Form.MORE_IN_SOME_CASE)
"""Forms that are about a margin; the others are about a band."""


@dataclass(frozen=True)
class Stated:
    """What is stated of a difference, in the unit in which it is judged.

    margin: what the difference exceeds; of an order alone.
    half: h, half of the printed difference, or ours.
    band: up to which two sides count as equal; of the other forms.
    ours: whether what counts of h and band is ours, and not printed.
    """

    form: Form = Form.MORE
    margin: float = 0.0
    half: float = 0.0
    band: float = 0.0
    ours: bool = False

    @property
    def order(self) -> bool:
        """Whether one side is said to be more than the other, in every case or in some."""
        return self.form in ORDERS

    @property
    def reach(self) -> float:
        """What counts of the form: h, or the band."""
        return self.half if self.order else self.band


def stated(
    form: Form, margin: float | None, size: float | None, unit: str, beside: float | None
) -> Stated:
    """Return what is stated, h and band filled in where nothing is printed.

    Args:
        form: of the sentence.
        margin: printed margin; a number of times for a ratio.
        size: printed difference, in absolute value; a number of times for a ratio.
        unit: of the difference.
        beside: the size of what is compared, of whose costs h is a share; None for a ratio.
    """
    if beside is None:
        usual = math.log1p(COST)
        printed = None if size is None else abs(math.log(size))
        least = 0.0 if margin is None else math.log(margin)
    else:
        usual = POINTS.get(unit, COST * abs(beside))
        printed, least = size, margin or 0.0
    printed = printed or 0.0
    ours = not printed if form in ORDERS else printed < usual
    return Stated(form, least, printed / 2 or usual, max(usual, printed), ours)


def interval(difference: Measured, tested: int) -> tuple[float, float]:
    """Return Student's two-sided interval of a mean over seeds; a single seed bounds nothing.

    Args:
        difference: over seeds.
        tested: m, how many sentences of the system are tested.
    """
    if difference.seeds < 2:
        return -math.inf, math.inf
    reach = errors_away(difference.seeds, tested) * difference.error
    return difference.mean - reach, difference.mean + reach


def errors_away(seeds: int, tested: int) -> float:
    """Return how many standard errors the ends of that interval are away, of two seeds or more."""
    return float(stdtrit(seeds - 1, 1 - ERRORS / tested / 2))


def judged(difference: Measured, of: Stated, tested: int) -> Judgement:
    """Return what a difference over seeds says of what is stated.

    Args:
        difference: the second side less the first.
        of: what is stated of it.
        tested: m, how many sentences of the system are tested.
    """
    return judged_by(*interval(difference, tested), difference.seeds, of)


def judged_by(lower: float, upper: float, seeds: int, of: Stated) -> Judgement:
    """Return what an interval of a difference over some seeds says of what is stated."""
    if seeds < LEAST_SEEDS:
        return Judgement.UNDECIDED
    if of.order:
        if lower - of.margin > ROUNDING:
            return Judgement.HOLDS
        if of.form is Form.MORE_IN_SOME_CASE:
            return Judgement.UNDECIDED
        if of.margin - upper > ROUNDING:
            return Judgement.CONTRARY
        inside = lower > -of.half and upper < of.half
        return Judgement.NO_DIFFERENCE if inside else Judgement.UNDECIDED
    if upper < -of.band or (of.form is Form.EQUAL and lower > of.band):
        return Judgement.CONTRARY
    if lower > -of.band and (of.form is Form.NO_LESS or upper < of.band):
        return Judgement.HOLDS
    return Judgement.UNDECIDED


def over_parts(parts: Iterable[Judgement]) -> Judgement:
    """Return what the parts of one sentence come to: tasks, steps, cells, or things that it says.

    They come to what all of them do; if one holds where of another the contrary does, it depends on
    the case, whichever of the three tells them apart; else the sentence is undecided.
    """
    found = set(parts)
    if {Judgement.HOLDS, Judgement.CONTRARY} <= found or Judgement.DEPENDS in found:
        return Judgement.DEPENDS
    return found.pop() if len(found) == 1 else Judgement.UNDECIDED


def over_tasks(by_task: Collection[Mapping[str, Judgement]], parts: int) -> Judgement:
    """Return what a sentence comes to over all tasks of full studies.

    A part that no task ran leaves it undecided, whatever the others come to, but where it already
    depends on the case.

    Args:
        by_task: what each task says of the parts that it ran, by their names.
        parts: how many the sentence has.
    """
    verdict = over_parts(part for of_task in by_task for part in of_task.values())
    complete = len(set().union(*by_task)) == parts
    return verdict if complete or verdict is Judgement.DEPENDS else Judgement.UNDECIDED
