"""What figures say: alternative texts in every file, words for keys."""

from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from fbftl.findings.story import alternative_of
from fbftl.findings.style import save, use_style

TITLE = "FTL$_c$ has 98.5% & more"


def saved(path: Path) -> Path:
    """Write a figure with a legend outside of its panel."""
    use_style()
    figure, axes = plt.subplots(figsize=(3, 2), layout="constrained")
    axes.plot([1, 2], [3, 4], label="a line")
    axes.set_title("Left", loc="left")
    axes.set(xlabel="a", ylabel="b (<%>)")
    figure.legend(loc="outside upper center")
    save(figure, path, pd.DataFrame({"x": [1, 2]}), TITLE)
    (title,), (legend,) = figure.texts, figure.legends
    boxes = [artist.get_window_extent() for artist in (title, legend, axes)]
    assert all(upper.y0 >= lower.y1 for upper, lower in pairwise(boxes))
    plt.close(figure)
    return path


@pytest.fixture(scope="module")
def svg(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("story") / "figure.svg")


def test_a_figure_that_is_drawn_again_has_the_same_bytes(svg: Path, tmp_path: Path) -> None:
    again = saved(tmp_path / "figure.svg")
    for suffix in (".svg", ".pdf", ".png", ".csv"):
        assert svg.with_suffix(suffix).read_bytes() == again.with_suffix(suffix).read_bytes()


def test_title_and_alternative_text_are_in_every_file(svg: Path) -> None:
    text = svg.read_text(encoding="utf-8")
    assert "<title>FTL_c has 98.5% &amp; more</title>" in text
    assert (
        alternative_of(text) == "FTL_c has 98.5% & more. Left: b (<%>) against a. Labels: a line."
    )
    for suffix in (".pdf", ".png"):
        assert b"FTL_c has 98.5" in svg.with_suffix(suffix).read_bytes()
