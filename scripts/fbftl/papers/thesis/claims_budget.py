"""What sentences about private budgets (paper thesis, ch. 2) compare, and what is ours.

Settings are fixed beforehand: rows, steps and decay are the same for every seed, and none was
chosen on what the claims look at. A study that picked steps and decay for each schedule runs every
schedule once at each number of rows, and that run counts, whatever was picked; where it runs
several, the one of 100 steps and a decay of 3 does.
"""

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from fbftl.papers.quantities import ByPart, BySeed, Compared, Runs, Sides, measures
from fbftl.privacy.schedules import fitted_gamma

EVEN = {"method": "private_gd", "mechanism": "dp_gd", "epsilon": 4.0, "accountant": "zcdp"}
"""Noisy descent under the paper's budget, in 100 steps."""

ROWS = (100, 200, 300, 1000)
"""Of training; the last number is the paper's own and fits large data alone."""

FRACTIONS = {100: 0.3333, 200: 0.6667, 300: None}
"""Share of 300 rows that each number is, None for all."""

PICKED = ("descent_steps", "decay")
"""Axes that a study may pick for each schedule."""

USUAL_DECAY = 3.0

FALLING = {"schedule": "exp"}
DYNAMIC = {"schedule": "dynamic"}
MOMENTUM = {"descent_momentum": 0.9}

LOUDER = (1, 25, 50, 75, 100)
"""Steps whose noise is doubled, each alone, of 100."""


def setting(runs: Runs, rows: int, **axes: Any) -> dict[str, Any]:
    """Return the setting that was run on so many rows with these axes, as picked.

    Args:
        runs: of a task.
        rows: of training.
        axes: those that differ from even noise at 4 epsilon, steps and decay left out.
    """
    wanted = {**EVEN, **axes}
    alike = [
        of
        for of in runs.settings
        if {axis: of[axis] for axis in of if axis not in (*PICKED, "fraction")} == wanted
        and _rows_of(runs, of) == rows
    ]
    usual = [
        of
        for of in alike
        if "descent_steps" not in of and of.get("decay", USUAL_DECAY) == USUAL_DECAY
    ]
    return next(iter(alike if len(alike) == 1 else usual), {**wanted, "rows": rows})


def _rows_of(runs: Runs, of: Mapping[str, Any]) -> int | None:
    """Return the rows that a setting is trained on: those that were seen, or its share of 300."""
    if "seen" in runs.table:
        return round(float(runs.measured("seen", **of).values.mean()))
    return next((n for n, share in FRACTIONS.items() if share == of.get("fraction")), None)


def _loss(runs: Runs, rows: int, **axes: Any) -> BySeed:
    return runs.measured("training_loss", **setting(runs, rows, **axes))


def _gain(runs: Runs, rows: int, schedule: Mapping[str, Any], **axes: Any) -> BySeed:
    """Return how many times a schedule's training loss even noise leaves."""
    return _loss(runs, rows, **axes) / _loss(runs, rows, **schedule, **axes)


def _losses(rows: int) -> Compared:
    return lambda runs: (_loss(runs, rows, **FALLING), _loss(runs, rows))


def _accuracies(rows: int) -> Compared:
    return lambda runs: (
        runs.accuracy(**setting(runs, rows)),
        runs.accuracy(**setting(runs, rows, **FALLING)),
    )


def _by_rows(runs: Runs) -> Sides:
    return _gain(runs, 300, FALLING), _gain(runs, 100, FALLING)


def _by_budget(epsilon: float) -> Compared:
    """Return what compares the gain under a strict budget with that under one of 8."""
    return lambda runs: (
        _gain(runs, 200, FALLING, epsilon=8.0),
        _gain(runs, 200, FALLING, epsilon=epsilon),
    )


def _by_scale(small: Mapping[str, float], large: Mapping[str, float]) -> Compared:
    """Return what compares the gain at two scales of the data."""
    return lambda runs: (_gain(runs, 200, FALLING, **small), _gain(runs, 200, FALLING, **large))


def _by_momentum(schedule: Mapping[str, Any]) -> Compared:
    """Return what compares the gain under momentum with that without.

    Without momentum the schedule that is best for the influence is the falling one.
    """
    return lambda runs: (
        _gain(runs, 200, schedule, **MOMENTUM),
        _gain(runs, 200, FALLING),
    )


def slope_of_influence(before: pd.Series, after: Mapping[int, pd.Series]) -> pd.Series:
    """Return pseudo-values, one a seed, of the slope by step of the logarithm of influence.

    Influence is what doubled noise at one step adds to the loss at the end, over what it adds to
    the step's variance, which is the same at every step of even noise. Its mean over seeds is
    fitted by an exponential of the step, whose logarithm is a line (`fitted_gamma`, as in the
    figure of influence), so that the slope has no value of a single seed; the jackknife's
    pseudo-values n s - (n - 1) s_i have it as their mean, and Student's interval from their spread.

    Args:
        before: loss by seed, nothing doubled.
        after: loss by seed, by the step whose noise is doubled.
    """
    added = pd.DataFrame({step: losses - before for step, losses in after.items()}).dropna()
    steps, count, values = np.array(added.columns), len(added), added.to_numpy(dtype=float)
    if count < 2:
        return pd.Series(np.nan, added.index)
    if not values.any():
        return pd.Series(dtype=float)
    errors = values.std(0, ddof=1) / count**0.5
    # Where a step adds the same to all seeds, steps weigh alike.
    errors = errors if errors.all() else np.ones(len(steps))

    def slope(influence: np.ndarray) -> float:
        return -math.log(fitted_gamma(steps.max(), steps, influence, errors))

    whole, without = slope(values.mean(0)), (values.sum(0) - values) / (count - 1)
    pseudo_values = [count * whole - (count - 1) * slope(influence) for influence in without]
    return pd.Series(pseudo_values, added.index)


def _slope(runs: Runs, **axes: Any) -> BySeed:
    even = _loss(runs, 100, **axes)
    louder = {step: _loss(runs, 100, louder_step=step, **axes) for step in LOUDER}
    diverged = frozenset[tuple[str, int]]().union(
        even.diverged, *(of.diverged for of in louder.values())
    )
    if not all(len(of.values) for of in louder.values()):
        return BySeed(pd.Series(dtype=float))
    by_step = {step: of.values for step, of in louder.items()}
    return BySeed(slope_of_influence(even.values, by_step), diverged)


def _rising_influence(runs: Runs) -> Sides:
    slope = _slope(runs)
    return slope.constant(0), slope


def _flatter_influence(runs: Runs) -> Sides:
    return _slope(runs, **MOMENTUM), _slope(runs)


def _few_steps(steps: int) -> Compared:
    """Return what compares noise that rises with noise that falls, under momentum, all rows."""
    few = {**EVEN, **MOMENTUM, "descent_steps": steps}
    rising, falling = ({**few, **FALLING, "decay": decay} for decay in (0.3333, USUAL_DECAY))
    return measures("training_loss", rising, falling)


SENTENCES: Mapping[str, ByPart] = {
    "c2-01": {str(rows): _losses(rows) for rows in ROWS},
    "c2-02": {str(rows): _accuracies(rows) for rows in ROWS},
    "c2-03": {"rows": _by_rows, "epsilon_1": _by_budget(1.0), "epsilon_2": _by_budget(2.0)},
    "c2-04": {
        f"{large.get('data_scale', 10.0):g}": _by_scale(small, large)
        for small, large in pairwise(({"data_scale": 5.0}, {}, {"data_scale": 20.0}))
    },
    "c2-05": {"slope": _rising_influence},
    "c2-08": {"exp": _by_momentum(FALLING), "dynamic": _by_momentum(DYNAMIC)},
    "c2-09": {
        "loss": lambda runs: (_loss(runs, 200, **MOMENTUM), _loss(runs, 200)),
        "influence": _flatter_influence,
    },
    "c2-10": {str(steps): _few_steps(steps) for steps in (5, 10)},
}

FEW = {**EVEN, **FALLING, "fraction": FRACTIONS[100], "descent_steps": 150}

HYPOTHESES: ByPart = {
    "budget_too_fast": measures(
        "training_loss", FEW | {"decay": USUAL_DECAY}, FEW | {"decay": 10.0}
    ),
}
