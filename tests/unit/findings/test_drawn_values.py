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
import plot_thesis
import plot_thesis_purchases
import plot_thesis_widths
import pytest
from drawn import levels, marked, unrendered
from fbftl.findings.outsourcing import CHOICES
from fbftl.findings.shown import shown
from fbftl.study.methods import names, rows
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

METHODS = rows(names())


def figure_of(
    draw: Callable[..., None], table: pd.DataFrame, folder: Path, *more: Any
) -> plt.Figure:
    """Return the figure that a function draws of a table; it is not rendered."""
    table.to_csv(folder / "table.csv", index=False)
    return unrendered(draw, str(folder / "table.csv"), str(folder / "figure.svg"), *more)


def bars(axes: Axes) -> dict[tuple[float, ...], list[float]]:
    """Return the heights of bars in per cent, from the left, by their colour."""
    heights: dict[tuple[float, ...], list[float]] = {}
    for bar in axes.patches:
        box = bar.get_path().get_extents(bar.get_transform() - axes.transData)
        heights.setdefault(to_rgb(bar.get_facecolor()), []).append(float(box.height))
    return heights


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


SEEN = [200, 800]
"""Rows that noisy descent sees."""


def budgets() -> pd.DataFrame:
    """Return a table of three schedules, and descent that needs no noise, at two numbers of rows.

    Rows of another number of steps, with momentum or of another accountant are not drawn.
    """
    plain = grid(schedule=["no noise", "uniform", "exp"], seen=SEEN, descent_steps=[40])
    others = [
        {"schedule": "uniform", "seen": 800, "descent_steps": 10},
        {"schedule": "uniform", "seen": 800, "descent_steps": 40, "descent_momentum": 0.9},
        {"schedule": "uniform", "seen": 800, "descent_steps": 40, "accountant": "exact"},
    ]
    table = pd.concat([plain, pd.DataFrame(others)], ignore_index=True)
    table["decay"] = table["schedule"].map({"exp": 2.0})
    table["sigma"] = table["schedule"].map({"uniform": 3.0, "exp": 2.0})
    table = table.fillna({"descent_momentum": 0.0, "accountant": "zcdp"})
    return numbered(table, loss=1.0, loss_spread=0.1, accuracy=0.5, accuracy_spread=0.01)


def test_private_budgets(tmp_path: Path) -> None:
    table = budgets()
    _, loss, accuracy = figure_of(plot_thesis.budget, table, tmp_path).axes
    drawn = table.iloc[:6]
    for axes, score, factor in [(loss, "loss", 1), (accuracy, "accuracy", 100)]:
        # Schedules stand a little beside each other.
        points = sorted((round(x / 200) * 200, *heights) for x, *heights in marked(axes))
        expected = drawn.sort_values(["seen", score])
        for point, (_, row) in zip(points, expected.iterrows(), strict=True):
            values = (row["seen"], factor * row[score], factor * row[f"{score}_spread"])
            assert point == pytest.approx(values, abs=1e-5)


def test_domains(tmp_path: Path) -> None:
    table = grid(
        method=["splitmix", "heterofl"], budgets=["exponential", "step"],
        budget_order=["by_domain", "spread"], rescaled_init=[False, True], width=[0.5, 1.0],
    )  # fmt: skip
    # Bases of Split-Mix begin rescaled under both orders, HeteroFL's slices never do.
    table = table[(table["method"] == "splitmix") | ~table["rescaled_init"].astype(bool)]
    table["rescaled_layers"] = False
    alone = {"method": "fedavg", "rescaled_init": False, "rescaled_layers": False}
    fedavg = pd.DataFrame([alone | {"width": 0.5}, alone | {"width": 1.0}])
    scores = {"plain": 0.5, "plain_spread": 0.01, "noisy+tinted": 0.3, "noisy+tinted_spread": 0.02}
    table = numbered(pd.concat([table, fedavg], ignore_index=True), **scores)
    domains = ["plain", ["noisy", "tinted"]]
    figure = figure_of(plot_thesis_widths.domains, table, tmp_path, domains, METHODS)
    drawn = table[table["budgets"] == "exponential"]
    drawn = drawn[drawn["rescaled_init"].eq(drawn["method"] == "splitmix") & (drawn["width"] == 1)]
    looks = shown(METHODS)
    for axes, order in zip(figure.axes, ("by_domain", "spread"), strict=True):
        of_order = drawn[drawn["budget_order"] == order].set_index("method")
        assert bars(axes) == {
            colour: [pytest.approx(100 * row[name]) for name in ("plain", "noisy+tinted")]
            for colour, row in {
                to_rgb(looks["splitmix"].colour): of_order.loc["splitmix"],
                to_rgb(looks["heterofl"].colour): of_order.loc["heterofl"],
                to_rgb("#AAAAAA"): table.iloc[-2],
            }.items()
        }


def purchases() -> pd.DataFrame:
    """Return a table of purchases by counts and by each other choice.

    Rows whose labels the client gives, or whose purpose is another, are not drawn.
    """
    counted = grid(purchase_rule=["ecos", "proximity"], centroids=[25, 50], sigma=[0.0, 10.0],
                   purchase=[150, 300, 600])  # fmt: skip
    counted = counted[(counted["purchase_rule"] == "ecos") | (counted["centroids"] == 50)]
    counted = counted[(counted["purchase_rule"] == "ecos") | (counted["sigma"] == 10)]
    blind = grid(purchase_rule=["kcenter", "random", "ideal"], purchase=[150, 300, 600])
    table = pd.concat([counted, blind], ignore_index=True)
    table = table.assign(label_source="bought", purchase_purpose="label", inherent_share=0.125)
    by_counts = table["purchase_rule"] == "ecos"
    table.loc[by_counts, ["purchase_allocation", "score_power", "bits"]] = ["cap", 1.0, 32]
    table["epsilon_added"] = (table["sigma"] + table["centroids"] / 100).where(table["sigma"] > 0)
    others = [{"purchase_allocation": "printed"}, {"score_power": 5.0}, {"bits": 8},
              {"label_source": "client"}, {"purchase_purpose": "compress"}]  # fmt: skip
    table = pd.concat([table, *(table.iloc[:1].assign(**other) for other in others)])
    table = table.reset_index(drop=True)
    return numbered(table, accuracy=0.5, spread=0.01, own_share=0.3, own_share_spread=0.03)


def test_purchases_by_counts(tmp_path: Path) -> None:
    table = purchases()
    figure = figure_of(plot_thesis_purchases.ecos, table, tmp_path)
    share, accuracy, purchase, privacy = figure.axes
    bought = table[(table["label_source"] == "bought") & (table["purchase_purpose"] == "label")]
    plain = bought[(bought["purchase_allocation"] == "cap") & (bought["score_power"] == 1)]
    plain = plain[plain["bits"] == 32]
    here = plain[plain["purchase"] == 300]
    noisy = here.dropna(subset="epsilon_added")
    assert marked(share) == reported(here, ["sigma", "own_share"], "own_share", "own_share_spread")
    assert marked(accuracy) == reported(here, ["sigma", "accuracy"])
    assert marked(privacy) == reported(noisy, ["epsilon_added", "accuracy"])
    of_choice = [
        plain if choice == "ecos" else table[table["purchase_rule"] == choice] for choice in CHOICES
    ]
    of_choice[:2] = [
        rows[rows["centroids"].eq(50) & rows["sigma"].eq(10)] for rows in of_choice[:2]
    ]
    assert marked(purchase) == reported(pd.concat(of_choice), ["purchase", "accuracy"])
    blind = table[
        table["purchase_rule"].isin(["kcenter", "random", "ideal"]) & (table["purchase"] == 300)
    ]
    assert levels(privacy) == [pytest.approx(100 * mean) for mean in blind["accuracy"]]


def test_sweeps_of_ones_own(tmp_path: Path) -> None:
    table = grid(method=["fbftl", "ftl_c"], epsilon=[1.0, 4.0, None]).assign(diverged=0)
    table = numbered(table, test_accuracy=0.5, spread=0.01)
    more = ("epsilon", ["method", "epsilon"], METHODS)
    figure = figure_of(plot_sweep.sweep, table, tmp_path, *more)
    (axes,) = figure.axes
    noisy = table.dropna(subset="epsilon")
    assert marked(axes) == reported(noisy, ["epsilon", "test_accuracy"], "test_accuracy")
    without = table.loc[table["epsilon"].isna(), "test_accuracy"]
    assert levels(axes) == [pytest.approx(100 * mean) for mean in without]


def test_every_loss_has_a_row_with_its_ledger_and_its_formula_inside_the_panel(
    root: Path, tmp_path: Path
) -> None:
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
