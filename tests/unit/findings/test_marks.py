"""Marks of figures: points with bars, lines with bands, what diverged, and the Pareto front."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fbftl.findings.marks import line_with_band, mark_diverged, on_front, points_with_bars
from fbftl.findings.style import DIVERGED
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes

TABLE = pd.DataFrame(
    {"x": [1.0, 2.0, 4.0], "accuracy": [0.02, 0.5, 0.97], "spread": [0.05, 0.1, np.nan],
     "loss": [3.0, 2.0, 1.0], "loss_spread": [0.5, 0.25, 0.125], "diverged": [0, 2, 0]}
)  # fmt: skip


@pytest.fixture
def axes() -> Iterator[Axes]:
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def texts(axes: Axes) -> list[tuple[str, tuple[float, float]]]:
    """Return what is written beside points, and where."""
    return [(text.get_text(), text.xy) for text in axes.texts]


def test_points_have_bars_of_one_standard_deviation(axes: Axes) -> None:
    points_with_bars(axes, TABLE["x"], TABLE, color="red", marker="o", label="a")
    (container,) = axes.containers
    points, _, (bars,) = container.lines
    np.testing.assert_allclose(points.get_xydata(), [(1, 2), (2, 50), (4, 97)])
    ends = [segment[:, 1] for segment in bars.get_segments()]
    np.testing.assert_allclose(ends, [(-3, 7), (40, 60), (97, 97)])
    assert (points.get_color(), container.get_label()) == ("red", "a")
    assert texts(axes) == [(DIVERGED, (2, 50))]


def test_a_score_has_its_own_spread_and_scale(axes: Axes) -> None:
    points_with_bars(axes, TABLE["x"], TABLE.drop(columns="diverged"), "loss", scale=1)
    _, _, (bars,) = axes.containers[0].lines
    ends = [segment[:, 1] for segment in bars.get_segments()]
    np.testing.assert_allclose(ends, [(2.5, 3.5), (1.75, 2.25), (0.875, 1.125)])
    assert texts(axes) == []


def test_a_band_ends_where_a_score_does(axes: Axes) -> None:
    line_with_band(axes, TABLE["x"], TABLE.assign(spread=0.05), color="red", linestyle="--")
    (line,), (band,) = axes.lines, axes.collections
    np.testing.assert_allclose(line.get_ydata(), [2, 50, 97])
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices}
    assert corners == {(1, 0), (2, 45), (4, 92), (1, 7), (2, 55), (4, 100)}
    assert line.get_linestyle() == "--"
    assert texts(axes) == [(DIVERGED, (2, 50))]


def test_figures_mark_what_diverged_and_nothing_else(axes: Axes) -> None:
    mark_diverged(axes, [1, 2, 3], [4, 5, 6], [0, 1, 0])
    assert texts(axes) == [(DIVERGED, (2, 5))]


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(0, 8)), min_size=1, max_size=12))
def test_the_front_holds_exactly_what_nothing_beats(points: list[tuple[int, int]]) -> None:
    table = pd.DataFrame(points, columns=["cost", "score"])
    expected = [
        not any(c <= cost and s >= score and (c, s) != (cost, score) for c, s in points)
        for cost, score in points
    ]
    assert on_front(table["cost"], table["score"]).tolist() == expected


def test_equal_points_are_on_the_front_together() -> None:
    cost = pd.Series([1.0, 2.0, 2.0, 3.0, 4.0, 1.0])
    score = pd.Series([0.5, 0.7, 0.6, 0.7, 0.9, 0.5])
    assert on_front(cost, score).tolist() == [True, True, False, False, True, True]
