"""Formulas of claims: what decides a part exactly, without a test, an interval or seeds.

A row names a function; those that several papers name are here, a paper's own in
`papers/{paper}/claims.py`, where every public function that takes a
`case` is one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import isfunction, signature

import numpy as np
import pandas as pd

from fbftl.findings.published import ROUNDING, Verdict
from fbftl.papers import modules
from fbftl.papers.claim_rows import Part
from fbftl.papers.measures import MEASURES, ClaimMeasure, curves
from fbftl.papers.quantities import Runs
from fbftl.papers.record import PaperRecord


@dataclass(frozen=True)
class Decision:
    """What decides a part.

    quantity: what is computed, in words.
    computed: its value, as it is shown.
    holds: whether it is as the claim says.
    """

    quantity: str
    computed: str
    holds: bool


@dataclass(frozen=True)
class FormulaCase:
    """What a function is handed to decide a part.

    part: the sides as they are written, the values along the axis and of all other names.
    margin: of the row, as it is written.
    record: what is printed of the paper, and its audit.
    runs: of the part's task, None of a formula that needs none.
    """

    part: Part
    margin: str
    record: PaperRecord
    runs: Runs | None = None

    @property
    def a(self) -> str:
        """The first side, at the first value along the axis."""
        return self.part.texts[0]

    @property
    def b(self) -> str:
        """The second side; where the row has none, the first at the last value along the axis."""
        return self.part.texts[-1]

    def exceeds(self, ratio: float) -> bool:
        """Tell whether a ratio is at least the printed one, or above 1 where none is printed."""
        return ratio >= float(self.margin) if self.margin else ratio > 1


Function = Callable[[FormulaCase], Decision | None]
"""Decides a part; None where what it counts is not at hand."""


def audited(case: FormulaCase) -> Decision | None:
    """Decide by the audit row that the first side names: it holds if that is reproduced."""
    row = case.record.audit.get(case.a)
    if row is None:
        return None
    return Decision(
        f"audit row {row['id']}: {row['where']}",
        f"{row['unit']}: {row['computed']} (printed {row['published']})".replace("; ", ", "),
        row["verdict"] == Verdict.REPRODUCED,
    )


def identical(case: FormulaCase) -> Decision | None:
    """Decide whether all sides have equal values in every seed, at every step of a series."""
    if case.runs is None:
        return None
    measure = case.a.partition(": ")[0]
    found = [_by_step(case.runs, *text.split(": ")) for text in case.part.texts]
    if any(of.empty for of in found):
        return None
    seeds, steps = found[0].shape
    greatest = max(_difference(found[0], other) for other in found[1:])
    compared = f"{len(found)} settings, {seeds} seeds" + (f", {steps} steps" if steps > 1 else "")
    return Decision(
        f"{measure}: greatest difference between settings in one seed",
        f"{greatest:.1g} over {compared}",
        greatest <= ROUNDING,
    )


def _difference(first: pd.DataFrame, second: pd.DataFrame) -> float:
    """Return the greatest difference of curves (seeds, steps); infinite if one lacks a value."""
    if not (first.index.equals(second.index) and first.columns.equals(second.columns)):
        return np.inf
    missing = first.isna() & second.isna()
    return float((first - second).abs().mask(missing, 0.0).fillna(np.inf).max(axis=None))


def _by_step(runs: Runs, measure: str, setting: str) -> pd.DataFrame:
    """Return what a setting measured, a row for each seed and a column for each step."""
    followed = curves(runs, measure, setting)
    of_run = MEASURES[measure]
    if followed.empty and isinstance(of_run, ClaimMeasure):
        return of_run.values(runs, setting).to_frame(1)
    return followed


FUNCTIONS: Mapping[str, Function] = {"audited": audited, "identical": identical}
"""Functions of several papers, by name."""

CASE = "case"
"""Argument by which a function of a paper's formulas is told from what helps it."""


def functions_of(paper: str) -> dict[str, Function]:
    """Return the functions that rows of a paper may name: public ones that take a case."""
    of_paper = {
        name: function
        for module in map(import_module, modules(paper))
        for name, function in vars(module).items()
        if isfunction(function) and function.__module__ == module.__name__ and name[0] != "_"
        if CASE in signature(function).parameters
    }
    return {**FUNCTIONS, **of_paper}
