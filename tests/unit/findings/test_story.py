"""What figures say: titles that seeds decide, alternative texts in every file, words for keys."""

from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from fbftl.findings.comparison import Measured
from fbftl.findings.marks import PointName, name_points
from fbftl.findings.story import (
    Story,
    above,
    alternative_of,
    compared,
    fill_alternatives,
    listed,
    measured,
    moved,
    with_rows,
)
from fbftl.findings.style import accuracy_axis, save, use_style
from fbftl.findings.wording import SENTENCES, VALUES, setting_words, words
from fbftl.ground.errors import UserError
from fbftl.study.settings import AXES
from hypothesis import given, settings
from hypothesis import strategies as st

STORY = Story("FTL$_c$ has 98.5% & more", "A line of <one> point.")


def test_a_title_says_which_is_greater_only_where_seeds_decide() -> None:
    near, far = Measured(0.90, 0.02, 3), Measured(0.98, 0.01, 3)
    assert compared(("a", "b"), (near, far)) == "b is more accurate than a: 98.0% against 90.0%"
    assert compared(("b", "a"), (far, near)) == compared(("a", "b"), (near, far))
    alike = compared(("a", "b"), (near, Measured(0.91, 0.02, 3)))
    assert alike == "a 90.0%, b 91.0%: which is more accurate, the seeds do not decide"
    assert moved("It", ("here", "there"), (far, near)) == "It falls from 98.0% here to 90.0% there"
    assert "rises" in moved("It", ("here", "there"), (near, far))
    assert "do not decide" in moved("It", ("here", "there"), (near, near))


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.2), st.integers(1, 8))
def test_of_two_sides_one_at_most_is_above(
    first: float, second: float, spread: float, seeds: int
) -> None:
    sides = Measured(first, spread, seeds), Measured(second, spread, seeds)
    assert not (above(*sides) and above(*reversed(sides)))
    if seeds < 3:
        assert not above(*sides)


def test_a_row_without_seeds_decides_nothing() -> None:
    row = pd.Series({"accuracy": 0.9, "spread": 0.0})
    assert measured(row) == Measured(0.9, 0.0, 1)
    assert measured({"loss": 2.0, "loss_spread": 0.5, "seeds": 4}, "loss") == Measured(2, 0.5, 4)
    assert not above(measured(row), Measured(0.1, 0.0, 9))


def test_a_table_without_rows_ends_in_one_sentence() -> None:
    with pytest.raises(UserError, match=r"^a/b\.csv has no row, so that there is nothing to draw"):
        with_rows(pd.DataFrame({"accuracy": []}), "a/b.csv")


def test_words_are_listed_as_in_a_sentence() -> None:
    assert [listed(list(names)) for names in ("a", "ab", "abc")] == ["a", "a and b", "a, b and c"]


@pytest.fixture
def svg(tmp_path: Path) -> Path:
    """A figure with a legend outside of its panel."""
    use_style()
    figure, axes = plt.subplots(figsize=(3, 2), layout="constrained")
    axes.plot([1, 2], [3, 4], label="a line")
    figure.legend(loc="outside upper center")
    path = tmp_path / "figure.svg"
    save(figure, path, pd.DataFrame({"x": [1, 2]}), STORY)
    (title,), (legend,) = figure.texts, figure.legends
    boxes = [artist.get_window_extent() for artist in (title, legend, axes)]
    assert all(upper.y0 >= lower.y1 for upper, lower in pairwise(boxes))
    plt.close(figure)
    return path


def test_title_and_alternative_text_are_in_every_file(svg: Path) -> None:
    text = svg.read_text(encoding="utf-8")
    assert "<title>FTL_c has 98.5% &amp; more</title>" in text
    assert alternative_of(text) == "FTL_c has 98.5% & more. A line of <one> point."
    for suffix in (".pdf", ".png"):
        assert b"FTL_c has 98.5" in svg.with_suffix(suffix).read_bytes()


def test_a_page_takes_the_alternative_text_of_its_pictures(svg: Path, tmp_path: Path) -> None:
    page = "![old](figure.svg) ![kept](other.svg) ![kept](picture.png)"
    expected = page.replace("old", "FTL_c has 98.5% & more. A line of <one> point.")
    assert fill_alternatives(page, tmp_path) == expected
    assert fill_alternatives(expected, tmp_path) == expected


@settings(max_examples=25)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=6))
def test_names_of_points_stay_in_the_panel_and_off_each_other(
    places: list[tuple[float, float]],
) -> None:
    figure, axes = plt.subplots(figsize=(7, 5))
    axes.plot(*zip(*places, strict=True), "o")
    name_points(axes, [PointName(f"name {n}", x, y, "k") for n, (x, y) in enumerate(places)])
    frame = axes.get_window_extent()
    boxes = [text.get_window_extent() for text in axes.texts if text.get_text()]
    plt.close(figure)
    assert len(boxes) == len(places)
    for index, box in enumerate(boxes):
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        assert frame.y0 <= box.y0 < box.y1 <= frame.y1
        assert not any(box.overlaps(other) for other in boxes[:index])


@pytest.mark.parametrize(("lowest", "highest"), [(10, 80), (0, 100), (92, 99.9), (94, 94.5)])
def test_an_axis_of_accuracies_has_all_marks_and_says_if_it_is_stretched(
    lowest: float, highest: float
) -> None:
    figure, axes = plt.subplots()
    axes.plot([1, 2], [lowest, highest], "o")
    accuracy_axis(axes, lowest, highest)
    low, high = axes.get_ylim()
    label, heights = axes.get_ylabel(), axes.transData.transform([(1, lowest), (1, highest)])
    plt.close(figure)
    assert low <= lowest < highest < high
    assert heights[0][1] < heights[1][1]
    assert ("stretched" in label) == (highest >= 95)


def test_no_axis_is_written_as_it_is_keyed() -> None:
    choices = {
        name: axis.values if isinstance(axis.values, tuple) else () for name, axis in AXES.items()
    }
    assert SENTENCES.keys() <= choices.keys()
    for axis, value in VALUES:
        assert value in (choices[axis] or (value,)), (axis, value)
    written = [words(axis, str(value)) for axis in choices for value in choices[axis] or ("2",)]
    assert not any("_" in each or "=" in each.replace("ε = ", "") for each in written)
    assert setting_words({"network": "mlp", "seed_samples": "10"}) == "10 seed samples"
