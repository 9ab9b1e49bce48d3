"""Kinds of plots: marks with bars and bands, what diverged, axes whose marks are whole, names."""

from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import plot_fbftl
import plot_fbftl_formulas
import pytest
from drawn import marked, unrendered
from fbftl.findings.plots.kinds import bands, lines, pictures, rows
from fbftl.findings.plots.scales import Name, score_axis, spread_out, write
from fbftl.findings.plots.spec import (
    Look,
    Panel,
    Scale,
    Spec,
    alongside,
    marks,
    named_at_ends,
    stepped,
)
from fbftl.findings.style import DIVERGED
from fbftl.privacy.label_privacy import batch_entropy, uniform
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.findings.made_up import of_seeds

TABLE = pd.DataFrame(
    {"x": [1.0, 2.0, 4.0], "accuracy": [0.02, 0.5, 0.97], "spread": [0.05, 0.1, np.nan],
     "loss": [3.0, 2.0, 1.0], "loss_spread": [0.5, 0.25, 0.125], "diverged": [0, 2, 0]}
)  # fmt: skip

SPEC = Spec({"a": Look("red")}, {"": Panel(Scale("x"), Scale("y"))})


def texts(axes: plt.Axes) -> list[tuple[str, tuple[float, float]]]:
    """Return what is written in a panel, and where."""
    return [(text.get_text(), text.get_position()) for text in axes.texts]


def test_points_have_bars_of_one_standard_deviation():
    (axes,) = lines(marks(TABLE, "x", "loss", series="a", factor=1), SPEC).axes
    assert marked(axes) == [(1, 3, 0.5), (2, 2, 0.25), (4, 1, 0.125)]
    assert texts(axes) == [(DIVERGED, (2, 2))]


def test_the_bar_of_a_share_ends_where_shares_do():
    frame = marks(TABLE.assign(spread=0.05), "x", series="a")
    assert list(zip(frame["low"], frame["high"], strict=True)) == [(0, 7), (45, 55), (92, 100)]


def test_a_row_has_its_interval_across_and_the_first_is_on_top():
    frame = marks(TABLE, TABLE.index, series="a").rename(columns={"x": "y", "y": "x"})
    (axes,) = rows(frame, SPEC).axes
    ends = [segment[:, 0].tolist() for c in axes.collections for segment in c.get_segments()]
    assert sorted(ends) == [[0, 7], [40, 60]]
    assert axes.yaxis_inverted()


def test_a_band_ends_where_a_score_does():
    (axes,) = bands(marks(TABLE.assign(spread=0.05), "x", series="a"), SPEC).axes
    corners = {tuple(at) for path in axes.patches for at in np.round(path.get_xy(), 6).tolist()}
    assert corners == {(1, 0), (2, 45), (4, 92), (1, 7), (2, 55), (4, 100)}
    assert texts(axes) == [(DIVERGED, (2, 50))]


def test_a_legend_has_what_is_drawn_but_no_series_with_an_underscore():
    frame = pd.concat([marks(TABLE, "x", series=name) for name in ("b", "_c", "a")])
    looks = {name: Look("red") for name in ("a", "b", "_c", "d")}
    (legend,) = lines(frame, Spec(looks, SPEC.panels, legend=2)).legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]


def test_a_panel_without_a_mark_is_left_out():
    panels = {name: Panel(Scale("x"), Scale("y"), name) for name in ("first", "second")}
    figure = lines(marks(TABLE, "x", series="a", panel="second"), Spec(SPEC.looks, panels))
    assert [axes.get_title("left") for axes in figure.axes] == ["second"]


def test_a_line_is_named_at_its_end_and_panels_make_room():
    frame = named_at_ends(marks(TABLE, "x", series="a"))
    assert frame["name"].tolist() == ["", "", "a"]
    figure = lines(frame.assign(diverged=0), SPEC)
    (text,) = figure.axes[0].texts
    box = text.get_window_extent()
    assert figure.axes[0].get_window_extent().x1 < box.x0 < box.x1 <= figure.bbox.x1


def test_a_front_rises_where_a_better_one_begins():
    front = stepped(marks(TABLE, "x", series="a"), 8)
    expected = [[1, 2], [2, 2], [2, 50], [4, 50], [4, 97], [8, 97]]
    np.testing.assert_allclose(front[["x", "y"]], expected)


@pytest.mark.parametrize("shift", [{"step": 0.5}, {"factor": 1.2}])
def test_series_stand_side_by_side_about_their_common_place(shift):
    frame = pd.DataFrame({"series": ["a", "b", "c"], "x": 4.0})
    x = alongside(frame, ["a", "b", "c"], **shift)["x"]
    assert x.is_monotonic_increasing
    assert x[1] == 4


def test_pictures_are_in_rows_behind_their_names():
    images = {"one": np.zeros((2, 3, 3, 1)), "two": np.zeros((1, 3, 3, 3))}
    figure = pictures(images, 0.5, {"one": ["red", None]})
    shown = [axes for axes in figure.axes if axes.images]
    assert [bool(axes.lines) for axes in shown] == [True, False, False]
    assert [text.get_text() for axes in figure.axes for text in axes.texts] == ["one", "two"]


@pytest.mark.parametrize(("lowest", "highest"), [(10, 80), (0, 100), (92, 99.9), (94, 94.5)])
def test_an_axis_of_scores_has_all_marks_and_says_if_it_is_stretched(lowest, highest):
    _, axes = plt.subplots()
    axes.plot([1, 2], [lowest, highest], "o")
    score_axis(axes, "y", lowest, highest, "accuracy (%)")
    low, high = axes.get_ylim()
    heights = axes.transData.transform([(1, lowest), (1, highest)])
    assert low <= lowest < highest < high
    assert heights[0][1] < heights[1][1]
    assert ("stretched" in axes.get_ylabel()) == (highest >= 90)


PLACES = st.lists(st.floats(-1e3, 1e3), max_size=12).map(sorted)


@given(PLACES, st.floats(0.1, 50))
def test_names_are_a_gap_apart_and_in_order(places, gap):
    moved = spread_out(places, gap)
    assert len(moved) == len(places)
    assert all(b - a >= gap - 1e-6 for a, b in pairwise(moved))


@given(st.lists(st.integers(-50, 50), unique=True).map(sorted))
def test_names_with_room_stay(places):
    assert spread_out(places, 1) == pytest.approx(places)


@settings(max_examples=10)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=6))
def test_names_of_points_stay_in_the_panel_and_off_each_other(places):
    figure, axes = plt.subplots(figsize=(7, 5))
    axes.plot(*zip(*places, strict=True), "o", linewidth=0)
    write(figure, [[Name(f"name {n}", x, y, "k") for n, (x, y) in enumerate(places)]])
    frame = axes.get_window_extent()
    boxes = [text.get_window_extent() for text in axes.texts if text.get_text()]
    plt.close(figure)
    assert len(boxes) == len(places)
    for index, box in enumerate(boxes):
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        assert frame.y0 <= box.y0 < box.y1 <= frame.y1
        assert not any(box.overlaps(other) for other in boxes[:index])


FIG8 = Path(__file__).parents[3] / "published" / "fbftl" / "fig8.csv"


def figure(folder, *losses):
    """Return the figure of runs, each a packet loss rate, the meaning of a loss and an accuracy."""
    runs = [
        row
        for plr, loss, accuracy in losses
        for row in of_seeds(
            {"method": "fbftl", "fraction": 1.0, "plr": plr, "loss": loss},
            test_accuracy=[accuracy],
        )
    ]
    pd.DataFrame(runs).to_csv(folder / "runs.csv", index=False)
    svg = str(folder / "figure.svg")
    return unrendered(plot_fbftl.scarcity, str(folder / "runs.csv"), str(FIG8), svg, {})


def test_the_paper_s_points_stand_in_a_panel_of_their_own(tmp_path):
    losses = [(0.0, "persistent", 0.9), (0.9, "persistent", 0.45), (0.9, "reshuffled", 0.8)]
    measured, paper = figure(tmp_path, *losses).axes
    assert measured.get_title(loc="left") == "Lost uploads stay lost"
    (line,) = measured.get_lines()
    assert list(line.get_ydata()) == pytest.approx([90, 45])
    (line,) = paper.get_lines()
    assert line.get_ydata()[0] == pytest.approx(86.51)
    assert max(line.get_xdata()) == pytest.approx(0.9)


PUBLISHED = Path(__file__).parents[3] / "published" / "fbftl" / "fig11.csv"
SETTING = {
    "classes": 10,
    "total_samples": [5_000],
    "samples_per_client": [1, 4, 8],
    "lemma_samples_per_client": [4],
    "lemma_clients": [100, 10_000],
    "repetitions": 3,
    "seed": 0,
}


def test_the_figure_and_its_numbers(tmp_path):
    unrendered(plot_fbftl_formulas.label_privacy, PUBLISHED, tmp_path / "figure.svg", SETTING)
    numbers = pd.read_csv(tmp_path / "figure.csv").set_index(["series", "K"]).sort_index()
    assert numbers.loc[("prior", 8), "bits"].item() == pytest.approx(batch_entropy(uniform(10), 8))
    exact, truncated = (numbers.loc[(s, 8), "bits"].item() for s in ("exact", "truncated"))
    assert exact > 9 > 1 > truncated
    published = pd.read_csv(PUBLISHED)
    assert len(numbers.loc["published"]) == (published["series"] == "queried").sum()
    leaked = numbers.loc[("query leakage", 4)].sort_values("U")["bits"]
    assert leaked.is_monotonic_decreasing
