"""Figures as their scripts draw them, without files, and what every figure has to say."""

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fbftl.findings.story import Story, plain

KEY = re.compile(r"\b(?!FTL_)[a-zA-Z]+_[a-z0-9]\w*|nan\b|\w+=\w+")
"""A key of the configuration, a value that is missing, or a pair of the two."""


def unrendered(plot: ModuleType, *arguments: Any, **named: Any) -> plt.Figure:
    """Return the figure that a script draws; of its files only the csv is written."""

    def save(figure: plt.Figure, svg: str, numbers: pd.DataFrame, story: Story) -> None:
        numbers.to_csv(Path(svg).with_suffix(".csv"), index=False)
        says_something(figure, story)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plot, "save", save)
        plot.main(*arguments, **named)
    return plt.gcf()


def says_something(figure: plt.Figure, story: Story) -> None:
    """Fail if a figure lacks a title, what is seen, or the name of an axis, or shows a key."""
    written = [story.title, story.seen]
    for axes in figure.axes:
        if axes.axison and axes.get_xticks().size and not axes.images:
            beside = axes.get_shared_y_axes().get_siblings(axes)
            below = axes.get_shared_x_axes().get_siblings(axes)
            ticks = [tick for panel in beside for tick in panel.get_yticklabels()]
            rows = [tick for tick in ticks if tick.get_text()]
            assert rows or any(panel.get_ylabel() for panel in beside), story.title
            assert any(panel.get_xlabel() for panel in below), story.title
            written += [axes.get_xlabel(), axes.get_ylabel(), axes.get_title("left")]
            written += [text.get_text() for text in (*axes.texts, *axes.get_yticklabels())]
            for scale, label in (
                (axes.get_xscale(), axes.get_xlabel()),
                (axes.get_yscale(), axes.get_ylabel()),
            ):
                named = "log scale" in label + axes.get_title("left") or "stretched" in label
                assert scale == "linear" or named or not label, (story.title, scale, label)
        for line in axes.lines:
            if line.get_marker() not in ("None", "_") and line.get_transform() == axes.transData:
                assert is_whole(axes, line.get_xydata()), story.title
    for legend in figure.legends:
        written += [text.get_text() for text in legend.get_texts()]
    assert all(len(sentence) > 10 for sentence in written[:2])
    assert not story.title.endswith(".")
    assert story.seen.endswith(".")
    keys = [word for text in written for word in KEY.findall(plain(text))]
    assert not keys, keys


def is_whole(axes: plt.Axes, marks: np.ndarray) -> bool:
    """Tell whether the middle of every mark is inside the panel."""
    (left, right), (low, high) = sorted(axes.get_xlim()), sorted(axes.get_ylim())
    x, y = marks[np.isfinite(marks).all(axis=1)].T
    return bool(((left < x) & (x < right) & (low < y) & (y < high)).all())
