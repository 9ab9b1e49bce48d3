"""Sentences that a formula, a count or an identity decides: no test, no interval, no seeds.

A paper's folder has what decides each; what nothing computes yet is left out there and listed as
such.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from fbftl.findings.comparison import ROUNDING, Verdict
from fbftl.findings.sentence_rule import COST
from fbftl.papers.quantities import Runs
from fbftl.papers.registry import Sentence


@dataclass(frozen=True)
class Decision:
    """What decides a sentence.

    quantity: what is computed, in words.
    computed: its value, as it is shown.
    holds: whether it is as the sentence says.
    """

    quantity: str
    computed: str
    holds: bool


@dataclass(frozen=True)
class PaperRecord:
    """What decides sentences: what is printed, what follows from it, and counts of runs.

    published: tables of `published/{paper}/` by name.
    audit: rows of the paper's audit, by id.
    runs: of every task of the paper that was run.
    """

    published: Mapping[str, pd.DataFrame]
    audit: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    runs: Sequence[Runs] = ()


Decides = Callable[[Sentence, PaperRecord], Decision | None]
"""What decides a sentence; None where it counts messages of runs that are not there."""


def audited(*ids: str) -> Decides:
    """Return what decides a sentence by audit rows: it holds if all of them are reproduced."""

    def decide(sentence: Sentence, record: PaperRecord) -> Decision | None:
        rows = [record.audit[row_id] for row_id in ids if row_id in record.audit]
        if len(rows) < len(ids):
            return None
        return Decision(
            "; ".join(f"audit row {row['id']}: {row['where']}" for row in rows),
            "; ".join(f"{row['computed']} beside {row['published']} {row['unit']}" for row in rows),
            all(row["verdict"] == Verdict.REPRODUCED for row in rows),
        )

    return decide


def each(*parts: Decides) -> Decides:
    """Return what decides a sentence of several parts: it holds if all do, once all are decided."""

    def decide(sentence: Sentence, record: PaperRecord) -> Decision | None:
        found = [part(sentence, record) for part in parts]
        decisions = [decision for decision in found if decision is not None]
        if len(decisions) < len(parts):
            return None
        return Decision(
            "; ".join(dict.fromkeys(of.quantity for of in decisions)),
            " / ".join(of.computed for of in decisions),
            all(of.holds for of in decisions),
        )

    return decide


def with_runs(formula: Decides, runs: Decides) -> Decides:
    """Return what decides a sentence by a formula, and by runs as well where they were made."""

    def decide(sentence: Sentence, record: PaperRecord) -> Decision | None:
        made = runs(sentence, record) is not None
        return each(formula, runs)(sentence, record) if made else formula(sentence, record)

    return decide


def identical(column: str, *settings: Mapping[str, Any]) -> Decides:
    """Return what decides an identity: all settings have the same values in every seed."""
    return _of_runs(
        f"{column} of {'both' if len(settings) == 2 else 'all'} in every seed",
        settings,
        lambda pair: abs(pair["second"] - pair["first"]) <= ROUNDING,
        column,
    )


def identical_throughout(
    series: str, first: Mapping[str, Any], second: Mapping[str, Any]
) -> Decides:
    """Return what decides an identity at every step: both settings' curves are the same ones.

    Args:
        series: what was measured epoch by epoch, or by rounds.
        first, second: the settings.
    """

    def decide(sentence: Sentence, record: PaperRecord) -> Decision | None:
        of_tasks = [
            (runs.lists(series, **first), runs.lists(series, **second)) for runs in record.runs
        ]
        pairs = [curves for curves in of_tasks if all(map(len, curves))]
        if not pairs:
            return None
        shapes = {curves.shape for pair in pairs for curves in pair}
        shown = " and ".join(f"{seeds} seeds at {steps} steps" for seeds, steps in sorted(shapes))
        holds = all(same_curves(*pair) for pair in pairs)
        return Decision(f"{series} of both at every step in every seed", shown, holds)

    return decide


def same_curves(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    """Tell whether curves (seeds, steps) are of the same seeds and steps, and equal."""
    alike_in_shape = first.index.equals(second.index) and first.columns.equals(second.columns)
    return alike_in_shape and np.allclose(first, second, rtol=0, atol=ROUNDING, equal_nan=True)


def alike(column: str, first: Mapping[str, Any], second: Mapping[str, Any]) -> Decides:
    """Return what decides that two counts are similar: a tenth apart at most in every seed.

    The tenth is ours, as where nothing is printed of a cost.
    """
    return _of_runs(
        f"{column} of both in every seed, up to a tenth, which is ours",
        (first, second),
        lambda pair: abs(pair["second"] / pair["first"] - 1) <= COST,
        column,
    )


def fewer(column: str, *settings: Mapping[str, Any]) -> Decides:
    """Return what decides a count of messages: each setting has less than the next in every seed.

    Args:
        column: what is counted.
        settings: from the least to the most.
    """
    return _of_runs(
        f"{column} in every seed, from the least to the most",
        settings,
        lambda pair: pair["first"] < pair["second"],
        column,
    )


def _of_runs(
    quantity: str,
    settings: Sequence[Mapping[str, Any]],
    holds: Callable[[pd.DataFrame], pd.Series],
    column: str,
) -> Decides:
    """Return what decides a sentence where every setting was run, by each against the next."""

    def decide(sentence: Sentence, record: PaperRecord) -> Decision | None:
        by_task = [
            [runs.measured(column, **setting).values for setting in settings]
            for runs in record.runs
        ]
        counted = [values for values in by_task if all(len(of) for of in values)]
        if not counted:
            return None
        pairs = [
            pd.DataFrame({"first": first, "second": second}).dropna()
            for values in counted
            for first, second in pairwise(values)
        ]
        shown = ["; ".join(f"{of.mean():,.6g}" for of in values) for values in counted]
        return Decision(quantity, " | ".join(shown), all(holds(pair).all() for pair in pairs))

    return decide
