"""A sweep of your own, and one under several sources: tables and figures by hand."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import plot_sweep
import pytest
import tabulate_own
from drawn import unrendered
from fbftl.findings.published import Measured
from fbftl.ground.errors import UserError
from fbftl.plan.results.swept import given, lacking, longest, varying
from fbftl.study.methods import rows
from fbftl.study.settings import Setting
from unit.findings.made_up import client_file, of_seeds

FOUND = {
    ("fbftl", 0.5): (0.5, 0.7),
    ("fbftl", 2.0): (0.8, 0.8),
    ("fbftl", None): (0.9, 0.9),
    ("ftl_c", 0.5): (0.1, 0.2),
    ("ftl_c", 2.0): (0.6, 0.0),
}
"""Test accuracies of two seeds by method and epsilon; the last seed diverged."""

METHODS = rows(["ftl_c", "fbftl"])
VARYING = ["method", "epsilon"]


@pytest.fixture
def tidy(tmp_path):
    """The path of a tidy table of these runs."""
    lines = [
        row
        for (method, epsilon), accuracies in FOUND.items()
        for row in of_seeds(
            {"method": method, "epsilon": epsilon},
            lost=[1] if (method, epsilon) == ("ftl_c", 2.0) else [],
            test_accuracy=accuracies,
            uplink_bits=[1000, 2000],
        )
    ]
    path = tmp_path / "runs.csv"
    pd.DataFrame(lines).to_csv(path, index=False)
    return str(path)


@pytest.fixture
def clients(tmp_path):
    """A client file in which the most frequent class differs between the splits."""
    return client_file(tmp_path, [2, 0], [2, 1, 2], test=[[0, 0, 0], [2]])


@pytest.fixture
def table(tidy, clients, tmp_path):
    csv = tmp_path / "table.csv"
    tabulate_own.sweep(tidy, clients, VARYING, {"epsilon": None}, METHODS, {}).write(csv)
    return csv


def test_what_varies_and_what_a_figure_runs_along():
    settings = [Setting(plr=p, epsilon=e) for p in (0.0, 0.5, 0.9) for e in (None, 1.0, 2.0)]
    assert varying(settings) == ["plr", "epsilon"]
    shared = [Setting(fraction=0.1, plr=p) for p in (0.0, 0.5)]
    assert given(shared) == ["plr", "method", "fraction"]
    assert longest(settings) == "plr"
    assert longest([Setting(epsilon=e, feedback=f) for e in (1.0, 2.0) for f in (True, False)]) == (
        "epsilon"
    )


@pytest.mark.parametrize(
    "settings",
    [
        [Setting()],
        [Setting(message=name) for name in ("features", "means")],
        [Setting(epsilon=value) for value in (None, 1.0)],
        [Setting(feedback=value) for value in (True, False)],
    ],
)
def test_without_two_numbers_a_figure_runs_along_categories(settings):
    assert longest(settings) == next(iter(varying(settings)), None)


def test_what_a_method_does_not_have_is_blank(tidy, clients, tmp_path):
    settings = [Setting(method="fbftl"), Setting(method="fedavg", local_epochs=5)]
    assert lacking(settings) == {"method": [], "local_epochs": ["fbftl"]}
    runs = pd.read_csv(tidy).assign(local_epochs=1)
    runs.to_csv(tidy, index=False)
    csv = tmp_path / "table.csv"
    main = partial(tabulate_own.sweep, tidy, clients, [*VARYING, "local_epochs"])
    main({"epsilon": None, "local_epochs": 1}, METHODS, {"local_epochs": ["fbftl"]}).write(csv)
    by_method = pd.read_csv(csv).groupby("method")["local_epochs"]
    assert by_method.count().to_dict() == {"fbftl": 0, "ftl_c": 2}


def test_the_figure_of_categories_has_a_place_for_each(table, tmp_path):
    rows = pd.read_csv(table)
    svg = str(tmp_path / "figure.svg")
    (axes,) = unrendered(plot_sweep.sweep, str(table), svg, "method", VARYING, METHODS).axes
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["FbFTL", "FTL$_c$"]
    drawn = [tuple(at) for dots in axes.collections for at in dots.get_offsets() if len(at)]
    places = rows["method"].map({"fbftl": 0, "ftl_c": 1})
    expected = sorted(zip(places, 100 * rows["test_accuracy"], strict=True))
    points = sorted((round(x), y) for x, y in drawn if y)
    assert points == [(x, pytest.approx(y)) for x, y in expected]


def test_the_table_has_mean_and_spread_of_every_setting(table):
    by_setting = pd.read_csv(table).set_index(["method", "epsilon"]).sort_index()
    assert len(by_setting) == len(FOUND)
    assert by_setting.loc[("fbftl", 0.5), "test_accuracy"] == pytest.approx(0.6)
    assert by_setting.loc[("fbftl", 0.5), "spread"] == pytest.approx(0.1 * 2**0.5)
    assert by_setting.loc[("ftl_c", 2.0), "diverged"] == 1
    assert by_setting["uplink_bits"].eq(1500).all()
    assert by_setting["seeds"].eq(2).all()
    assert by_setting["majority"].eq(0.25).all()
    assert by_setting.loc[("fbftl", 2.0), "test_set_error"] == pytest.approx((0.8 * 0.2 / 4) ** 0.5)
    lines = table.with_suffix(".md").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("| Method | Epsilon | Accuracy | Test set ± |")
    assert sum(line.startswith("|") for line in lines) == 2 + len(FOUND)
    assert "Majority-class baseline: 25" in lines[-1]


def test_accuracy_stays_on_the_page_however_many_axes_vary(tidy, clients, tmp_path):
    axes = ["plr", "blr", "burst", "bits", "keep", "retransmissions", "fraction", "feedback"]
    runs = pd.read_csv(tidy).drop_duplicates(["method", "seed"])
    numbers = pd.DataFrame(
        {axis: runs["method"].map({"fbftl": 0.1, "ftl_c": 0.2}) for axis in axes}
    )
    pd.concat([runs, numbers], axis=1).to_csv(tidy, index=False)
    csv = tmp_path / "table.csv"
    varied = ["method", *axes]
    tabulate_own.sweep(tidy, clients, varied, dict.fromkeys(axes), METHODS, {}).write(csv)
    head = csv.with_suffix(".md").read_text(encoding="utf-8").splitlines()[0]
    assert "| Accuracy |" in head
    assert head.count("|") == 9


def test_runs_without_a_score_are_refused(tidy, tmp_path):
    runs = pd.read_csv(tidy).drop(columns="test_accuracy")
    runs.to_csv(tidy, index=False)
    axes = {"epsilon": None}
    with pytest.raises(UserError, match="measured none of test_accuracy"):
        tabulate_own.sweep(tidy, "", VARYING, axes, METHODS, {}).write(tmp_path / "t.csv")


SCORES = {
    ("fbftl", 0.5): [(0.7, 0.9), (0.4, 0.6)],
    ("fbftl", None): [(0.9, 0.8), (0.8, 0.9)],
    ("ftl_c", 2.0): [(0.6, 0.0), (0.6, 0.8)],
}
"""Test accuracies by method and epsilon: of each source its seeds'."""

LOST = ("ftl_c", 2.0, 0)
"""The setting and source whose second seed diverged."""


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


def test_the_table_has_both_parts_of_every_setting(tables, tmp_path):
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


def test_the_figure_marks_each_source(tables, tmp_path):
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
