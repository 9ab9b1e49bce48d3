"""Kinds of plots: marks with bars and bands, what diverged, axes whose marks are whole, names."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from drawn import marked
from fbftl.findings.plots.frames import marks, named_at_ends, side_by_side, stepped
from fbftl.findings.plots.kinds import bands, lines, pictures, rows
from fbftl.findings.plots.names import Name, spread_out, write
from fbftl.findings.plots.scales import score_axis
from fbftl.findings.plots.spec import Look, Panel, Scale, Spec
from fbftl.findings.style import DIVERGED
from hypothesis import given, settings
from hypothesis import strategies as st

TABLE = pd.DataFrame(
    {"x": [1.0, 2.0, 4.0], "accuracy": [0.02, 0.5, 0.97], "spread": [0.05, 0.1, np.nan],
     "loss": [3.0, 2.0, 1.0], "loss_spread": [0.5, 0.25, 0.125], "diverged": [0, 2, 0]}
)  # fmt: skip

SPEC = Spec({"a": Look("red")}, {"": Panel(Scale("x"), Scale("y"))})


def texts(axes: plt.Axes) -> list[tuple[str, tuple[float, float]]]:
    """Return what is written in a panel, and where."""
    return [(text.get_text(), text.get_position()) for text in axes.texts]


def test_points_have_bars_of_one_standard_deviation() -> None:
    (axes,) = lines(marks(TABLE, "x", "loss", series="a", factor=1), SPEC).axes
    assert marked(axes) == [(1, 3, 0.5), (2, 2, 0.25), (4, 1, 0.125)]
    assert texts(axes) == [(DIVERGED, (2, 2))]


def test_the_bar_of_a_share_ends_where_shares_do() -> None:
    frame = marks(TABLE.assign(spread=0.05), "x", series="a")
    assert list(zip(frame["low"], frame["high"], strict=True)) == [(0, 7), (45, 55), (92, 100)]


def test_a_row_has_its_interval_across_and_the_first_is_on_top() -> None:
    frame = marks(TABLE, TABLE.index, series="a").rename(columns={"x": "y", "y": "x"})
    (axes,) = rows(frame, SPEC).axes
    ends = [segment[:, 0].tolist() for c in axes.collections for segment in c.get_segments()]
    assert sorted(ends) == [[0, 7], [40, 60]]
    assert axes.yaxis_inverted()


def test_a_band_ends_where_a_score_does() -> None:
    (axes,) = bands(marks(TABLE.assign(spread=0.05), "x", series="a"), SPEC).axes
    corners = {tuple(at) for path in axes.patches for at in np.round(path.get_xy(), 6).tolist()}
    assert corners == {(1, 0), (2, 45), (4, 92), (1, 7), (2, 55), (4, 100)}
    assert texts(axes) == [(DIVERGED, (2, 50))]


def test_a_legend_has_what_is_drawn_but_no_series_with_an_underscore() -> None:
    frame = pd.concat([marks(TABLE, "x", series=name) for name in ("b", "_c", "a")])
    looks = {name: Look("red") for name in ("a", "b", "_c", "d")}
    (legend,) = lines(frame, Spec(looks, SPEC.panels, legend=2)).legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]


def test_a_panel_without_a_mark_is_left_out() -> None:
    panels = {name: Panel(Scale("x"), Scale("y"), name) for name in ("first", "second")}
    figure = lines(marks(TABLE, "x", series="a", panel="second"), Spec(SPEC.looks, panels))
    assert [axes.get_title("left") for axes in figure.axes] == ["second"]


def test_a_line_is_named_at_its_end_and_panels_make_room() -> None:
    frame = named_at_ends(marks(TABLE, "x", series="a"))
    assert frame["name"].tolist() == ["", "", "a"]
    figure = lines(frame.assign(diverged=0), SPEC)
    (text,) = figure.axes[0].texts
    box = text.get_window_extent()
    assert figure.axes[0].get_window_extent().x1 < box.x0 < box.x1 <= figure.bbox.x1


def test_a_front_rises_where_a_better_one_begins() -> None:
    front = stepped(marks(TABLE, "x", series="a"), 8)
    expected = [[1, 2], [2, 2], [2, 50], [4, 50], [4, 97], [8, 97]]
    np.testing.assert_allclose(front[["x", "y"]], expected)


@pytest.mark.parametrize("shift", [{"step": 0.5}, {"factor": 1.2}])
def test_series_stand_side_by_side_about_their_common_place(shift: dict[str, float]) -> None:
    frame = pd.DataFrame({"series": ["a", "b", "c"], "x": 4.0})
    x = side_by_side(frame, ["a", "b", "c"], **shift)["x"]
    assert x.is_monotonic_increasing
    assert x[1] == 4


def test_pictures_are_in_rows_behind_their_names() -> None:
    images = {"one": np.zeros((2, 3, 3, 1)), "two": np.zeros((1, 3, 3, 3))}
    figure = pictures(images, 0.5, {"one": ["red", None]})
    shown = [axes for axes in figure.axes if axes.images]
    assert [bool(axes.lines) for axes in shown] == [True, False, False]
    assert [text.get_text() for axes in figure.axes for text in axes.texts] == ["one", "two"]


@pytest.mark.parametrize(("lowest", "highest"), [(10, 80), (0, 100), (92, 99.9), (94, 94.5)])
def test_an_axis_of_scores_has_all_marks_and_says_if_it_is_stretched(
    lowest: float, highest: float
) -> None:
    _, axes = plt.subplots()
    axes.plot([1, 2], [lowest, highest], "o")
    score_axis(axes, lowest, highest, "accuracy (%)")
    low, high = axes.get_ylim()
    heights = axes.transData.transform([(1, lowest), (1, highest)])
    assert low <= lowest < highest < high
    assert heights[0][1] < heights[1][1]
    assert ("stretched" in axes.get_ylabel()) == (highest >= 95)


PLACES = st.lists(st.floats(-1e3, 1e3), max_size=12).map(sorted)


@given(PLACES, st.floats(0.1, 50))
def test_names_are_a_gap_apart_and_in_order(places: list[float], gap: float) -> None:
    moved = spread_out(places, gap)
    assert len(moved) == len(places)
    assert all(b - a >= gap - 1e-6 for a, b in pairwise(moved))


@given(st.lists(st.integers(-50, 50), unique=True).map(sorted))
def test_names_with_room_stay(places: list[int]) -> None:
    assert spread_out(places, 1) == pytest.approx(places)


@settings(max_examples=10)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=6))
def test_names_of_points_stay_in_the_panel_and_off_each_other(
    places: list[tuple[float, float]],
) -> None:
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
