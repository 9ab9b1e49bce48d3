"""Tabulate the bound on what is left of the excess loss against the condition number kappa.

Both schedules have their best number of steps, an integer scan; a third line has the one that
paper thesis prints for the best schedule (Thm 4), at which the bound can exceed the 1 of no step.
"""

from math import floor

import pandas as pd
from fbftl.findings.tables import Column, ResultTable
from fbftl.privacy.schedules import (
    best_steps,
    dynamic_bound,
    printed_steps,
    uniform_bound,
)

KAPPAS = (2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000)
ALPHAS = (1e-5, 1e-3)

MOST = 20_000
"""Steps that are scanned at most."""

COLUMNS = [
    Column("alpha", "α", format="{:g}"),
    Column("kappa", "κ", format="{:g}"),
    Column("schedule", "Schedule"),
    Column("steps", "T", "steps", "{:.0f}"),
    Column("bound", "Bound", format="{:.4g}"),
]


def main() -> ResultTable:
    """Return the table."""
    rows = [row for alpha in ALPHAS for kappa in KAPPAS for row in at(alpha, kappa)]
    return ResultTable(pd.DataFrame(rows), COLUMNS)


def at(alpha: float, kappa: float) -> list[dict[str, object]]:
    """Return the three bounds at one alpha and kappa."""
    gamma = 1 - 1 / kappa
    printed = floor(printed_steps(alpha, kappa))
    most = min(MOST, 2 * printed + 2)
    schedules = {
        "uniform": (best_steps(uniform_bound, alpha, gamma, most), uniform_bound),
        "best": (best_steps(dynamic_bound, alpha, gamma, most), dynamic_bound),
        "best, printed T": (printed, dynamic_bound),
    }
    return [
        {"alpha": alpha, "kappa": kappa, "schedule": name, "steps": steps}
        | {"bound": bound(steps, alpha, gamma)}
        for name, (steps, bound) in schedules.items()
    ]
