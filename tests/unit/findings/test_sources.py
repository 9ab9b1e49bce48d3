"""An experiment under several sources: its table and figure on numbers made by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import plot_sweep
import pytest
import tabulate_own
from drawn import unrendered
from fbftl.findings.comparison import Measured
from fbftl.study.methods import rows
from unit.findings.made_up import client_file, of_seeds

SCORES = {
    ("fbftl", 0.5): [(0.7, 0.9), (0.4, 0.6)],
    ("fbftl", None): [(0.9, 0.8), (0.8, 0.9)],
    ("ftl_c", 2.0): [(0.6, 0.0), (0.6, 0.8)],
}
"""Test accuracies by method and epsilon: of each source its seeds'."""

LOST = ("ftl_c", 2.0, 0)
"""The setting and source whose second seed diverged."""

METHODS = rows(["ftl_c", "fbftl"])
VARYING = ["method", "epsilon"]


@pytest.fixture
def tables(tmp_path: Path) -> list[str]:
    """The paths of the tidy tables under two sources."""
    paths = []
    for source in range(2):
        lines = [
            row
            for (method, epsilon), by_source in SCORES.items()
            for row in of_seeds(
                {"method": method, "epsilon": epsilon},
                lost=[1] if (method, epsilon, source) == LOST else [],
                test_accuracy=by_source[source],
            )
        ]
        paths.append(str(tmp_path / f"{source}.csv"))
        task = "t" if source == 0 else f"t/source_seeds/{source}"
        table = pd.DataFrame(lines).assign(task=task)
        table["seed"] += 2 * source
        table.to_csv(paths[-1], index=False)
    return paths


def test_the_table_has_both_parts_of_every_setting(tables: list[str], tmp_path: Path) -> None:
    csv, clients = tmp_path / "sources.csv", client_file(tmp_path, [0, 1, 1, 2])
    tabulate_own.sources(tables, clients, VARYING, {"epsilon": None}, METHODS).write(csv)
    table = pd.read_csv(csv).set_index(["method", "epsilon"])
    row = table.loc[("fbftl", 0.5)]
    assert row["mean"] == pytest.approx(0.65)
    assert row["within"] == row["seeds_variance"] == pytest.approx(0.02)
    assert row["between"] == pytest.approx(2 * 0.045)
    assert row["sources_variance"] == pytest.approx((0.09 - 0.02) / 2)
    assert row["test_set_error"] == pytest.approx((0.65 * 0.35 / 4) ** 0.5)
    without = table.loc[("fbftl", np.nan)]
    assert without["sources_variance"] == pytest.approx(-0.0025)
    assert without["sources_spread"] == 0
    assert table["seeds"].eq(4).all()
    assert table["sources"].eq(2).all()
    assert (table.loc[("ftl_c", 2.0), "diverged"], table["diverged"].sum()) == (1, 1)
    printed = csv.with_suffix(".tex").read_text("utf-8")
    assert "& -25 &" in printed, "variances are in squared percentage points"


def test_the_figure_marks_each_source(tables: list[str], tmp_path: Path) -> None:
    svg = tmp_path / "sources.svg"
    figure = unrendered(plot_sweep.sources, tables, str(svg), VARYING, {"epsilon": None}, METHODS)
    drawn = pd.read_csv(svg.with_suffix(".csv"))
    for (method, epsilon), by_source in SCORES.items():
        same = drawn["epsilon"].isna() if epsilon is None else drawn["epsilon"] == epsilon
        marks = drawn[same & (drawn["method"] == method)].sort_values("source")
        expected = [Measured.of(scores) for scores in by_source]
        assert marks["accuracy"].tolist() == pytest.approx([m.mean for m in expected])
        assert marks["spread"].tolist() == pytest.approx([m.spread for m in expected])
    (axes,) = figure.axes
    ticks = [label.get_text() for label in axes.get_xticklabels()]
    assert ticks == ["FbFTL,\nwithout epsilon", "FbFTL,\nε = 0.5", "FTL$_c$,\nε = 2"]
    heights = [float(at[1]) for dots in axes.collections for at in dots.get_offsets()]
    assert set(np.round(100 * drawn["accuracy"], 9)) <= set(np.round(heights, 9))
