"""What is drawn and written beside a figure is what its table reports, each where it belongs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import plot_fbftl
import plot_fedfeat
import plot_sweep
import plot_thesis
import plot_thesis_purchases
import pytest
import tabulate_fedfeat
import tabulate_thesis
from drawn import drawing, levels, marked, unrendered
from fbftl.findings.style import DIVERGED
from fbftl.study.methods import names, rows
from unit.findings.made_up import of_seeds

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
    share, accuracy, _ = figure.axes
    plain = table.query(
        "label_source == 'bought' and purchase_purpose == 'label' and purchase_rule == 'ecos' "
        "and purchase_allocation == 'cap' and score_power == 1 and bits == 32"
    )
    here = plain[plain["purchase"] == 300]
    assert marked(share) == reported(here, ["sigma", "own_share"], "own_share", "own_share_spread")
    assert all(mark in marked(accuracy) for mark in reported(here, ["sigma", "accuracy"]))
    assert [tick.get_text().split("\n")[0] for tick in accuracy.get_xticklabels()] == [
        f"{sigma:g}" for sigma in sorted(here["sigma"].unique())
    ]


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


ROOT = Path(__file__).parents[3]
PRINTED = ROOT / "published" / "eppfl" / "printed.csv"
COMMITTED = {
    "plot_fbftl.compression": "compression",
    "plot_fbftl.rate_distortion": "compression",
    "plot_fbftl.noise": "noise",
    "plot_fbftl.packet_loss": "packet_loss",
    "plot_fbftl.privacy": "privacy",
    "plot_rivals.uploads": "uploads",
}
"""Figures of tables of the digits, by the name of the table."""
KEPT = [(script, "digits", name) for script, name in COMMITTED.items()]
KEPT += [
    ("plot_eppfl.privacy", "digits-eppfl-full", "eppfl"),
    ("plot_rivals.trust", "rival_digits", "trust"),
    ("plot_survey.dpsgd", "digits-dpsgd-full", "dpsgd"),
    ("plot_survey.frameworks", "frameworks_digits-full", "frameworks"),
    ("plot_thesis_widths.width_laws", "digits-budgets-full", "width_laws"),
]
"""Figures, each with a task and the name of its kept table."""
WITHOUT_METHODS = (
    "plot_survey.dpsgd", "plot_eppfl.privacy", "plot_rivals.uploads",
)  # fmt: skip
"""Figures that need no looks of methods."""
ACROSS = (
    "plot_fbftl.compression", "plot_fbftl.packet_loss", "plot_thesis_widths.width_laws",
)  # fmt: skip
"""Figures with a row per setting, whose scores are along the x axis."""


def within(marked: pd.DataFrame, table: pd.DataFrame) -> bool:
    """Whether each row of a figure is one of its table's, in every column that both have."""
    shared = [column for column in marked if column in table]
    assert {"accuracy", "spread"} <= set(shared)
    kept = marked[shared].astype(str).agg("|".join, axis=1)
    return set(kept) <= set(table[shared].astype(str).agg("|".join, axis=1))


@pytest.mark.parametrize(("script", "task", "name"), KEPT)
def test_a_figure_of_a_table_marks_its_rows(script, task, name, tmp_path):
    csv = ROOT / "docs" / "results" / task / "tables" / f"{name}.csv"
    table, svg = pd.read_csv(csv), tmp_path / "figure.svg"
    looks = [] if script in WITHOUT_METHODS else [rows(table["method"].unique())]
    printed = [str(PRINTED)] if script == "plot_eppfl.privacy" else []
    figure = unrendered(drawing(script), str(csv), *printed, str(svg), *looks)
    marked = pd.read_csv(svg.with_suffix(".csv"), float_precision="round_trip")
    scores = marked["difference" if script == "plot_fbftl.packet_loss" else "accuracy"].dropna()
    assert len(scores)
    if script == "plot_fbftl.compression":
        written = [text.get_text() for axes in figure.axes for text in axes.texts]
        values = sorted(text for text in written if text != DIVERGED)
        both = zip(scores, marked["spread"], strict=True)
        assert values == sorted(f"{100 * score:.1f} ± {100 * spread:.1f}" for score, spread in both)
    along = "get_xdata" if script in ACROSS else "get_ydata"
    assert all(scores.map(lambda score: is_drawn(figure, score, along)))
    if script == "plot_fbftl.noise":
        # Without noise there is one run, drawn for both ways of drawing it.
        marked = marked.drop(columns="noise_draw")
    assert len(marked)
    assert within(marked, table)


def is_drawn(figure: plt.Figure, score: float, along: str = "get_ydata") -> bool:
    """Tell whether a share is where a mark stands, in per cent."""
    lines = [getattr(line, along)() for axes in figure.axes for line in axes.lines]
    return bool(np.isclose(np.concatenate(lines).astype(float), 100 * score).any())


def game(**axes: Any) -> pd.DataFrame:
    """Return two seeds of the game with groups."""
    axis_names = (*tabulate_thesis.FAIRNESS_AT, *tabulate_thesis.NOISE, *tabulate_thesis.GAME)
    values = (
        dict.fromkeys(axis_names) | {"method": "fade", "adversary": "none", "network": "mlp"} | axes
    )
    measured = {name: (0.5, 0.75) for name in ("balanced_accuracy", "accuracy_1", "delta_eo")}
    measured |= {"probe": (0.5, 0.6), "accuracy_by_chance": (0.5, 0.5)}
    return pd.DataFrame(of_seeds(values, **measured))


def fairness() -> tuple[pd.DataFrame, pd.DataFrame]:
    runs = game(majority_users=4)
    table = tabulate_thesis.fairness_rows(runs)
    columns = {"balanced_accuracy": "accuracy", "balanced_accuracy_spread": "spread"}
    marked = plot_thesis.summary(runs).rename(columns={"accuracy_spread": "spread"})
    return marked[["accuracy", "spread"]], table[list(columns)].rename(columns=columns)


def retraining() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two seeds that stop after rounds 1 and 3, where the mean curve is elsewhere."""
    axes = dict.fromkeys(tabulate_fedfeat.RETRAINED_BY) | {
        "network": "cnn", "partition": "iid", "method": "fedfeat", "features_from": "averaged",
        "server_epochs": 5, "local_epochs": 5,
    }  # fmt: skip
    runs = pd.DataFrame(
        of_seeds(axes, test_accuracy=(0.5, 0.8), test_accuracy_best=(0.5, 0.8), epoch=(1, 3))
    )
    curves = ((0.5, 0.4, 0.1), (0.2, 0.1, 0.8))
    series = pd.DataFrame(
        {"setting": runs["setting"][0], "seed": seed, "series": "test_accuracy", "step": step,
         "value": value}
        for seed, curve in enumerate(curves)
        for step, value in enumerate(curve, start=1)
    )  # fmt: skip
    plotted = plot_fedfeat.plotted(runs, series)
    marked = plotted[plotted["marked"]]
    assert marked["round"].tolist() == [2]
    assert marked["accuracy"].tolist() == [0.65]
    columns = ["network", "partition", "method", "features_from", "accuracy", "spread"]
    return marked[columns], tabulate_fedfeat.retraining_rows(runs)[columns]


@pytest.mark.parametrize("both", [fairness, retraining])
def test_a_figure_of_runs_marks_what_their_table_reports(both):
    """That of `uplink` reads ledgers too: `test_exchanged.py` has it."""
    marked, table = both()
    assert len(marked)
    assert within(marked.round(12), table.round(12))
