"""The evaluator of claims: from rows of the registry and runs to verdicts, part by part.

A part is compared where both sides were run and can decide anything: a part of which both sides
guess decides nothing. A run that diverged counts as a guess. Parts that are not compared are listed
with the reason and block nothing.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import groupby

import numpy as np
import pandas as pd

from fbftl.papers import found_in
from fbftl.papers.claim_rows import (
    FRONT,
    NO_TASK,
    ClaimForm,
    ClaimRow,
    ClaimTask,
    Part,
    Side,
    Term,
    parts_of,
    require_known,
)
from fbftl.papers.claim_rule import (
    ClaimVerdict,
    Effect,
    in_most_parts,
    in_some_part,
    is_ratio,
    judged,
    region,
    together,
    variance_of_difference,
    variance_of_test_set,
)
from fbftl.papers.formulas import FormulaCase, Function, functions_of
from fbftl.papers.measures import (
    NOTHING,
    ClaimMeasure,
    Measured,
    PairedMeasure,
    best_front,
    diverged,
    guessed,
    measures_of,
)
from fbftl.papers.quantities import Runs
from fbftl.papers.record import PaperRecord

NOT_RUN, GUESSES, NOT_COMPUTED = "not run", "at chance", "not computed"

NOT_KEPT = "means alone are kept"
"""Of a part whose measure needs more than mean and spread of accuracy."""

OF_SOME_PARTS = {ClaimForm.EXISTS: in_some_part, ClaimForm.MOST: in_most_parts}
"""How a clause's parts are put together where the claim is not about all of them."""

FROM_MEANS = "from means alone"
"""Of a part whose sides have kept means and spreads, and no runs: seeds are not paired."""


@dataclass(frozen=True)
class PaperRules:
    """The code that rows of a paper name.

    measures: by name.
    functions: of formulas, by name.
    undecided: from runs and a part to the reason why it decides nothing in this paper, None if it
        may.
    """

    measures: Mapping[str, Measured]
    functions: Mapping[str, Function] = field(default_factory=dict)
    undecided: Callable[[Runs, Part, ClaimTask], str | None] = lambda runs, part, task: None


def rules_of(paper: str) -> PaperRules:
    """Return a paper's rules, those that all papers have among them."""
    (undecided,) = found_in(paper, "undecided") or [PaperRules({}).undecided]
    return PaperRules(measures_of(paper), functions_of(paper), undecided)


@dataclass(frozen=True)
class PartFinding:
    """What one part of a row comes to.

    effect: mean with its interval, a ratio as a number of times; nan of what has none.
    note: why it is not compared, or what a formula computed.
    """

    part: Part
    verdict: ClaimVerdict
    effect: float = math.nan
    lower: float = math.nan
    upper: float = math.nan
    seeds: int = 0
    note: str = ""


@dataclass(frozen=True)
class ClaimFinding:
    """What a claim comes to, all its clauses together.

    clauses: each row with its parts.
    """

    id: str
    verdict: ClaimVerdict
    clauses: Sequence[tuple[ClaimRow, Sequence[PartFinding]]]


def evaluate(
    rows: Iterable[ClaimRow],
    tasks: Mapping[str, ClaimTask],
    runs: Mapping[str, Runs],
    record: PaperRecord,
    rules: PaperRules,
) -> list[ClaimFinding]:
    """Return what each claim of a paper comes to, in the order of its rows.

    Args:
        rows: of one paper, those of one claim in a row.
        tasks: by name.
        runs: by task, of those that were run.
        record: what formulas are decided by.
        rules: the paper's measures and functions.

    Raises:
        UserError: if a row has something unknown in it.
    """
    return [
        _claim(name, [(row, _clause(row, tasks, runs, record, rules)) for row in of_claim])
        for name, of_claim in groupby(rows, key=lambda row: row.id)
    ]


def _claim(name: str, clauses: Sequence[tuple[ClaimRow, Sequence[PartFinding]]]) -> ClaimFinding:
    verdicts: list[ClaimVerdict] = []
    for row, found in clauses:
        compared = [of.verdict for of in found if of.verdict is not ClaimVerdict.NOT_TESTABLE]
        some = OF_SOME_PARTS.get(row.form)
        verdicts += [some(compared)] if some and compared else compared
    return ClaimFinding(name, together(verdicts), clauses)


def _clause(
    row: ClaimRow,
    tasks: Mapping[str, ClaimTask],
    runs: Mapping[str, Runs],
    record: PaperRecord,
    rules: PaperRules,
) -> list[PartFinding]:
    parts = parts_of(row, tasks)
    require_known(row, parts, rules.measures, rules.functions)
    return [
        _decided(part, rules, FormulaCase(part, row.margin, record, runs.get(part.task.name)))
        if row.form is ClaimForm.FORMULA
        else _compared(row, part, runs.get(part.task.name), rules)
        for part in parts
    ]


def _not_compared(part: Part, why: str) -> PartFinding:
    return PartFinding(part, ClaimVerdict.NOT_TESTABLE, note=why)


def _decided(part: Part, rules: PaperRules, case: FormulaCase) -> PartFinding:
    needs_runs = part.task is not NO_TASK
    missing = needs_runs and case.runs is None
    decision = None if missing else rules.functions[part.measure](case)
    if decision is None and needs_runs:
        return _not_compared(part, NOT_RUN)
    if decision is None:
        # What it needs is at hand elsewhere: no other part may confirm the claim meanwhile.
        return PartFinding(part, ClaimVerdict.INCONCLUSIVE, note=NOT_COMPUTED)
    verdict = ClaimVerdict.CONFIRMED if decision.holds else ClaimVerdict.CONTRADICTED
    return PartFinding(part, verdict, note=f"{decision.quantity}: {decision.computed}")


Values = pd.Series | float | Effect
"""By seed; one for every seed of a number; an effect where only mean and spread were kept."""


@dataclass(frozen=True)
class SideValues:
    """One side of a part as it was measured.

    values: `Values`.
    of_test_set: variance of the mean that the test set adds.
    guesses: whether it is an accuracy that is no better than a guess.
    right: (n,) of an accuracy, in how many per cent of the seeds each test sample is right; None
        where runs do not say.
    """

    values: Values
    of_test_set: float = 0.0
    guesses: bool = False
    right: np.ndarray | None = None

    @property
    def missing(self) -> bool:
        """Whether nothing was measured."""
        return isinstance(self.values, pd.Series) and self.values.empty

    def less(self, other: "SideValues") -> "SideValues":
        """Return the difference of two, seed by seed, that of means where one has nothing else.

        The test set adds the variance of both, or that of their differences by sample.
        """
        right, of_test_set = None, self.of_test_set + other.of_test_set
        answered = self.right is not None and other.right is not None
        if answered and len(self.right) == len(other.right):
            right = self.right - other.right
            of_test_set = variance_of_difference(right)
        guesses = self.guesses and other.guesses
        return SideValues(_difference(self.values, other.values), of_test_set, guesses, right)


def _compared(row: ClaimRow, part: Part, runs: Runs | None, rules: PaperRules) -> PartFinding:
    """Return what runs say of a part that no formula decides."""
    if runs is None:
        return _not_compared(part, NOT_RUN)
    part = _with_front(part, runs)
    a, b = _sides(part, runs, rules.measures)
    if a.missing or b.missing:
        settings = {term.setting for side in (part.a, part.b) for term in side.terms}
        return _not_compared(part, NOT_KEPT if settings <= runs.means.keys() else NOT_RUN)
    both_guess, ratio = a.guesses and b.guesses, is_ratio(row.form, row.least)
    why = GUESSES if both_guess else rules.undecided(runs, part, part.task)
    effect = None if why else _effect([a, b], ratio)
    if effect is None:
        return _not_compared(part, why or NOT_RUN)
    allowed = region(row.form, row.least, counted=_counted(part, rules.measures))
    verdict, ends = judged(effect, allowed), effect.interval()
    mean, lower, upper = (
        float(np.exp(value)) if ratio else value for value in (effect.mean, *ends)
    )
    note = FROM_MEANS if Effect in (type(a.values), type(b.values)) else ""
    return PartFinding(part, verdict, mean, lower, upper, effect.seeds, note)


def _with_front(part: Part, runs: Runs) -> Part:
    """Return a part with the setting that is at the front beside the first side's."""
    if part.b.settings != (FRONT,):
        return part
    name = best_front(runs, part.a.terms[0].setting) or FRONT
    return replace(part, b=Side((Term(part.b.terms[0].measure, name),)))


def _effect(sides: Sequence[SideValues], ratio: bool) -> Effect | None:
    """Return the difference of two sides, or the logarithm of their ratio; None without values.

    Of a ratio both sides need values by seed.
    """
    if ratio:
        if any(isinstance(of.values, Effect) for of in sides):
            return None
        sides = [replace(of, values=np.log(of.values)) for of in sides]
    both = sides[0].less(sides[1])
    if not isinstance(both.values, Effect):
        values = list(np.atleast_1d(both.values))
        return replace(Effect.of(values), of_test_set=both.of_test_set) if values else None
    return replace(both.values, of_test_set=both.of_test_set)


def _difference(first: Values, second: Values) -> Values:
    """Return a difference seed by seed, that of means where a side has nothing else."""
    if isinstance(first, Effect) or isinstance(second, Effect):
        sides = [first, second]
        if any(isinstance(of, pd.Series) and of.empty for of in sides):
            return NOTHING
        of_first, of_second = (
            of if isinstance(of, Effect) else Effect.of(list(np.atleast_1d(of))) for of in sides
        )
        return of_first.less(of_second)
    difference = first - second
    return difference.dropna() if isinstance(difference, pd.Series) else difference


def _counted(part: Part, measures: Mapping[str, Measured]) -> bool:
    of_terms = [measures[term.measure] for side in (part.a, part.b) for term in side.terms]
    return all(isinstance(of, ClaimMeasure) and of.counted for of in of_terms)


def _sides(
    part: Part, runs: Runs, measures: Mapping[str, Measured]
) -> tuple[SideValues, SideValues]:
    paired = part.a.terms and measures[part.a.terms[0].measure]
    if isinstance(paired, PairedMeasure):
        first, second = paired.values(runs, part.a, part.b)
        return SideValues(first), SideValues(second)
    return _side(part.a, part.task, runs, measures), _side(part.b, part.task, runs, measures)


def _side(side: Side, task: ClaimTask, runs: Runs, measures: Mapping[str, Measured]) -> SideValues:
    """Return a side whose measures look at one setting each."""
    if not side.terms:
        return SideValues(side.number)
    return reduce(SideValues.less, [_term(term, task, runs, measures) for term in side.terms])


def _term(term: Term, task: ClaimTask, runs: Runs, measures: Mapping[str, Measured]) -> SideValues:
    measure, right = measures[term.measure], None
    values: Values = measure.values(runs, term.setting)
    if values.empty and term.measure == "accuracy" and term.setting in runs.means:
        values = Effect(*runs.means[term.setting])
        mean = values.mean
    elif not measure.tested_on or task.classes is None or values.empty:
        return SideValues(values)
    else:
        chance, lost = 100 / task.classes, diverged(runs, term.setting)
        values = values.mask(values.index.isin(lost), chance)
        mean = float(values.mean())
        if not lost:
            right = measure.percents_right(runs, term.setting)
    samples = measure.tested_on * (task.test_samples or math.inf)
    of_test_set = variance_of_test_set(mean, samples) if samples < math.inf else 0.0
    guesses = task.classes is not None and guessed(mean, task.classes)
    return SideValues(values, of_test_set, guesses, right)
