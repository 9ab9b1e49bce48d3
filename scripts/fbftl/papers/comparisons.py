"""The table of comparisons: what stands behind sentences, and what is ours, in numbers."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from fbftl.findings.columns import DIVERGED, VERDICT, with_spread
from fbftl.findings.comparison import ROUNDING, Measured
from fbftl.findings.tables import Column
from fbftl.papers.claims import Examined
from fbftl.papers.quantities import BySeed
from fbftl.study.sizes import Size, size_of

NOT_RUN = "not run"

NO_VERDICT = f"{Size.QUICK}: no verdict"
"""Of tasks that are too small for one."""

ByTask = Mapping[str, Sequence[Examined]]
"""What each task finds of all claims of a paper."""


def diverged(examined: Examined) -> frozenset[tuple[str, int]]:
    """Return the repetitions behind both sides that diverged."""
    return examined.first.diverged | examined.second.diverged


def readable(value: float) -> str:
    """Return counts without places, a quantity below a tenth with two digits, others with two.

    What sums of floats are off by is nothing.
    """
    if abs(value) < ROUNDING:
        value = 0.0
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 0.1 or value == 0 else f"{value:.2g}"


NUMBERS = (
    Column("task", "Task", page=True),
    Column("size", "Size"),
    *with_spread("first_mean", "First", format=readable, spread="first_spread"),
    *with_spread("second_mean", "Second", format=readable, spread="second_spread"),
    Column("form", "Second is"),
    Column("margin", "Margin", format=readable),
    Column("reach", "h or band", format=readable),
    Column("reach_is", "Which is"),
    Column("compared", "Compared", format=readable, page=True),
    Column("lower", "Lower bound", format=readable, page=True),
    Column("upper", "Upper bound", format=readable, page=True),
    Column("unit", "Unit", page=True),
    Column("second_seeds", "Seeds", format="{:.0f}"),
    DIVERGED,
    VERDICT,
)
"""What every table of comparisons shows of one."""

COLUMNS = (
    Column("sentence", "Sentence", page=True),
    Column("compares", "Comparison", width="6cm", page=True),
    *NUMBERS,
    Column("tested", "Sentences tested"),
)

COLUMNS_OF_HYPOTHESES = (
    Column("compares", "Hypothesis", width="6cm", page=True),
    Column("origin", "Where it comes from", width="3cm"),
    *NUMBERS,
    Column("tested", "Hypotheses tested"),
)


def comparisons_table(by_task: ByTask, tested: Mapping[str, int]) -> pd.DataFrame:
    """Return comparisons as rows: names, both means, what is compared with its interval, verdict.

    A comparison has a row for each task that it was run on; one that was run on none has one
    without. `compared`, `lower` and `upper` are the mean difference with its interval, or the
    geometric mean of the ratio with its own.

    Args:
        by_task: what each task finds of the same claims.
        tested: how many sentences of its system are tested, by sentence; of ours all hypotheses.
    """
    rows = []
    for of_tasks in zip(*by_task.values(), strict=True):
        pairs = zip(by_task, of_tasks, strict=True)
        run = [(task, found) for task, found in pairs if found.compared is not None]
        for task, examined in run or [("", of_tasks[0])]:
            rows.append(_comparison(task, examined, tested[examined.claim.sentence]))
    return pd.DataFrame(rows)


def _comparison(task: str, examined: Examined, tested: int) -> dict[str, object]:
    claim, bounds = examined.claim, examined.bounds(tested)
    reach, reach_is = _reach(examined)
    judgement = examined.judged(tested)
    if judgement is None:
        verdict = NOT_RUN
    elif size_of(task) is Size.FULL:
        verdict = str(judgement)
    else:
        verdict = NO_VERDICT
    return {
        "sentence": claim.sentence,
        "part": claim.part,
        "compares": claim.compares,
        "origin": claim.origin,
        "task": task,
        "size": str(size_of(task)) if task else "",
        "form": str(claim.form),
        "margin": claim.margin,
        "printed_size": claim.size,
        "reach": reach,
        "reach_is": reach_is,
        "unit": "times" if claim.ratio else claim.unit,
        **_side("first", examined.first),
        **_side("second", examined.second),
        **dict(zip(("compared", "lower", "upper"), bounds or (None,) * 3, strict=True)),
        "diverged": len(diverged(examined)),
        "verdict": verdict,
        "tested": tested,
    }


def _reach(examined: Examined) -> tuple[float | None, str]:
    """Return h, or the band of two equal sides, as it is printed, and whose it is."""
    if examined.compared is None:
        return None, ""
    of = examined.stated
    reach = float(np.exp(of.reach)) if examined.claim.ratio else of.reach
    return reach, "ours" if of.ours else "printed"


def _side(name: str, side: BySeed) -> dict[str, float | int | None]:
    if side.values.empty:
        return {f"{name}_{field}": None for field in ("mean", "spread", "seeds")}
    measured = Measured.of(list(side.values))
    return {
        f"{name}_mean": measured.mean,
        f"{name}_spread": measured.spread,
        f"{name}_seeds": measured.seeds,
    }
