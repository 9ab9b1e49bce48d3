"""Figures as their scripts draw them, without files, and what every figure has to say."""

import importlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fbftl.findings.story import described, plain
from matplotlib.collections import LineCollection

KEY = re.compile(r"\b(?!FTL_|L_q\b)[a-zA-Z]+_[a-z0-9]\w*|nan\b|\w+=\w+")
"""A key of the configuration, a value that is missing, or a pair of the two."""


def drawing(figure: str) -> Callable[..., None]:
    """Return the function that draws a figure, written as its script and its name."""
    script, _, name = figure.partition(".")
    return getattr(importlib.import_module(script), name)


def unrendered(draw: Callable[..., None], *arguments: Any, **named: Any) -> plt.Figure:
    """Return the figure that a function draws; of its files only the csv is written."""

    def save(figure: plt.Figure, svg: str, numbers: pd.DataFrame, title: str) -> None:
        numbers.to_csv(Path(svg).with_suffix(".csv"), index=False)
        says_something(figure, title)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[draw.__module__], "save", save)
        draw(*arguments, **named)
    return plt.gcf()


def says_something(figure: plt.Figure, title: str) -> None:
    """Fail if a figure lacks a title or the name of an axis, or shows a key."""
    written = [title, described(figure, title)]
    for axes in figure.axes:
        if axes.axison and len(axes.get_xticks()) and not axes.images:
            beside = axes.get_shared_y_axes().get_siblings(axes)
            below = axes.get_shared_x_axes().get_siblings(axes)
            ticks = [tick for panel in beside for tick in panel.get_yticklabels()]
            rows = [tick for tick in ticks if tick.get_text()]
            assert rows or any(panel.get_ylabel() for panel in beside), title
            assert any(panel.get_xlabel() for panel in below), title
            written += [axes.get_xlabel(), axes.get_ylabel(), axes.get_title("left")]
            written += [text.get_text() for text in (*axes.texts, *axes.get_yticklabels())]
            for scale, label in (
                (axes.get_xscale(), axes.get_xlabel()),
                (axes.get_yscale(), axes.get_ylabel()),
            ):
                named = "log scale" in label + axes.get_title("left") or "stretched" in label
                assert scale == "linear" or named or not label, (title, scale, label)
        for line in axes.lines:
            if (
                line.get_marker() not in ("None", "_", "")
                and line.get_transform() == axes.transData
            ):
                assert is_whole(axes, line.get_xydata()), title
    for legend in figure.legends:
        written += [text.get_text() for text in legend.get_texts()]
    assert all(len(sentence) > 10 for sentence in written[:2])
    assert not title.endswith(".")
    keys = [word for text in written for word in KEY.findall(plain(text))]
    assert not keys, keys


def is_whole(axes: plt.Axes, marks: np.ndarray) -> bool:
    """Tell whether the middle of every mark is inside the panel."""
    (left, right), (low, high) = sorted(axes.get_xlim()), sorted(axes.get_ylim())
    x, y = marks[np.isfinite(marks).all(axis=1)].T
    return bool(((left < x) & (x < right) & (low < y) & (y < high)).all())


def marked(axes: plt.Axes) -> list[tuple[float, float, float]]:
    """Return the marks of a panel in order: abscissa, height and half a bar, 0 without one."""
    bars = [
        bar for c in axes.collections if isinstance(c, LineCollection) for bar in c.get_segments()
    ]
    halves = {
        (round(float(x), 6), round(float(low + high) / 2, 6)): float(high - low) / 2
        for (x, low), (_, high) in bars
    }
    lines = [line for line in axes.lines if line.get_marker() not in ("None", "")]
    marks = [np.round(at, 6).tolist() for line in lines for at in line.get_xydata()]
    return sorted((x, y, halves.get((x, y), 0.0)) for x, y in marks)


def levels(axes: plt.Axes) -> list[float]:
    """Return the heights of lines across a panel that have no marks."""
    bare = [line.get_ydata() for line in axes.lines if line.get_marker() in ("None", "")]
    return [float(heights[0]) for heights in bare if len(set(heights)) == 1]
