"""What is drawn is what the table reports: marks, whiskers and bars, each where it belongs.

`test_marked_values.py` compares the numbers that are written beside a figure.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import plot_fbftl
import plot_sweep
import plot_thesis_purchases
import pytest
from drawn import levels, marked, unrendered
from fbftl.study.methods import names, rows

METHODS = rows(names())


def figure_of(
    draw: Callable[..., None], table: pd.DataFrame, folder: Path, *more: Any
) -> plt.Figure:
    """Return the figure that a function draws of a table; it is not rendered."""
    table.to_csv(folder / "table.csv", index=False)
    return unrendered(draw, str(folder / "table.csv"), str(folder / "figure.svg"), *more)


def reported(
    table: pd.DataFrame,
    order: list[str],
    mean: str = "accuracy",
    spread: str = "spread",
    factor: float = 100,
) -> list[Any]:  # fmt: skip
    """Return what a panel should mark of rows of a table, by abscissa and height."""
    rows = table.sort_values(order)[[order[0], mean, spread]].itertuples(index=False)
    return [pytest.approx((at, factor * y, factor * half), abs=1e-5) for at, y, half in rows]


def numbered(table: pd.DataFrame, **columns: float) -> pd.DataFrame:
    """Return a table with columns of numbers that differ from row to row.

    columns: the first number of each.
    """
    return table.assign(
        **{name: [first + 0.003 * row for row in range(len(table))]
           for name, first in columns.items()}
    )  # fmt: skip


def grid(**axes: list[Any]) -> pd.DataFrame:
    """Return a row for every combination of values."""
    return pd.MultiIndex.from_product(axes.values(), names=axes).to_frame(index=False)


def test_purchases_by_counts(root, tmp_path):
    table = pd.read_csv(root / "docs" / "results" / "digits-cloud-full" / "tables" / "ecos.csv")
    figure = figure_of(plot_thesis_purchases.ecos, table, tmp_path)
    share, accuracy, _, privacy = figure.axes
    plain = table.query(
        "label_source == 'bought' and purchase_purpose == 'label' and purchase_rule == 'ecos' "
        "and purchase_allocation == 'cap' and score_power == 1 and bits == 32"
    )
    here = plain[plain["purchase"] == 300]
    noisy = here.dropna(subset="epsilon_added")
    assert marked(share) == reported(here, ["sigma", "own_share"], "own_share", "own_share_spread")
    assert marked(accuracy) == reported(here, ["sigma", "accuracy"])
    assert marked(privacy) == reported(noisy, ["epsilon_added", "accuracy"])


def test_sweeps_of_ones_own(tmp_path):
    table = grid(method=["fbftl", "ftl_c"], epsilon=[1.0, 4.0, None]).assign(diverged=0)
    table = numbered(table, test_accuracy=0.5, spread=0.01)
    more = ("epsilon", ["method", "epsilon"], METHODS)
    figure = figure_of(plot_sweep.sweep, table, tmp_path, *more)
    (axes,) = figure.axes
    noisy = table.dropna(subset="epsilon")
    assert marked(axes) == reported(noisy, ["epsilon", "test_accuracy"], "test_accuracy")
    without = table.loc[table["epsilon"].isna(), "test_accuracy"]
    assert levels(axes) == [pytest.approx(100 * mean) for mean in without]


def test_every_loss_has_a_row_with_its_ledger_and_its_formula_inside_the_panel(root, tmp_path):
    table = pd.read_csv(root / "docs" / "results" / "digits" / "tables" / "packet_loss.csv")
    lossy = table[table["blr"] > 0]
    assert lossy["plr_ledger"].eq(0).any()
    left, _ = figure_of(plot_fbftl.packet_loss, table, tmp_path, METHODS).axes
    drawn = {line: line.get_xydata() for line in left.lines if len(line.get_xdata())}
    by_ledger = [at for line, at in drawn.items() if line.get_marker() != "|"]
    by_formula = [at for line, at in drawn.items() if line.get_marker() == "|"]
    for points, rates in ((by_ledger, "plr_ledger"), (by_formula, "plr_formula")):
        at = pd.DataFrame([tuple(point) for line in points for point in line], columns=["x", "y"])
        assert len(at["y"].unique()) == len(at["y"]) == lossy[rates].notna().sum()
        assert at["x"].dropna().sort_values().tolist() == pytest.approx(
            sorted(100 * lossy[rates].dropna())
        )
        assert at["x"].dropna().between(*left.get_xlim(), inclusive="neither").all()
