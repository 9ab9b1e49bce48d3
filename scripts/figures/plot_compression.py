"""Heat maps of accuracy over bits per element and keep ratio, one per method (paper, Table V).

A row of them for each share of the clients that a setting was run on.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, of_clients, shown
from fbftl.findings.style import DIVERGED, NEUTRAL, TEXT_WIDTH, save, use_style
from fbftl.ground.binding import run_by_name
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of compression; pdf, png and numbers go beside it."""
    use_style()
    cells = with_feedback_where_run(read_tidy(table))
    columns = ["method", "fraction", "q", "r", "feedback", "kept", "accuracy", "spread"]
    columns += ["seeds", "diverged"]
    save(draw(cells, list(shown(methods).values())), svg, cells[columns])


def with_feedback_where_run(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row per method, share, q and r, with error feedback as in the paper if run."""
    without = table["feedback"].eq(False)
    ordered = table.assign(without=without).sort_values("without", kind="stable")
    return ordered.drop_duplicates(["method", "fraction", "q", "r"]).drop(columns="without")


def draw(cells: pd.DataFrame, methods: list[ShownMethod]) -> plt.Figure:
    """Return the figure; cells of settings that were not run are empty."""
    shares = sorted(cells["fraction"].unique(), reverse=True)
    figure, panels = plt.subplots(
        len(shares),
        len(methods),
        figsize=(TEXT_WIDTH, 1.9 * len(shares)),
        sharex=True,
        sharey=True,
        layout="constrained",
        squeeze=False,
    )
    low = 10 * np.floor(10 * cells["accuracy"].min())
    values = [sorted(cells[axis].unique(), reverse=True) for axis in ("q", "r")]
    for row, share in zip(panels, shares, strict=True):
        for axes, method in zip(row, methods, strict=True):
            method_cells = cells[(cells["method"] == method.name) & (cells["fraction"] == share)]
            if method_cells.empty:
                axes.set_axis_off()
                continue
            note = ", no feedback" if method_cells["feedback"].eq(False).any() else ""
            title = method.figure_label + note + of_clients(share)
            axes.set_title(title, loc="left", fontsize="medium" if share == 1 else "small")
            image = _heat_map(axes, method_cells, *values, low)
        row[0].set_ylabel("bits per element q")
    for axes in panels[-1]:
        axes.set_xlabel("keep ratio r")
    figure.colorbar(image, ax=panels, label="test accuracy (%)", pad=0.01)
    return figure


def _heat_map(
    axes: Axes, method_cells: pd.DataFrame, bits: list[int], ratios: list[float], low: float
) -> ScalarMappable:
    """Draw one method's cells on one share of the clients, a row per q and a column per r."""
    grid, diverged = (
        method_cells.pivot(index="q", columns="r", values=name).reindex(index=bits, columns=ratios)
        for name in ("accuracy", "diverged")
    )
    percent = 100 * grid.astype(float)
    marks = np.where(diverged.to_numpy(dtype=float) > 0, DIVERGED, "")
    sns.heatmap(
        percent,
        ax=axes,
        annot=np.char.add(np.char.mod("%.1f", percent), marks),
        fmt="",
        annot_kws={"fontsize": 6.5},
        cmap="Blues",
        vmin=low,
        vmax=100,
        cbar=False,
        linewidths=1.5,
    )
    for row, column in np.argwhere(percent.isna()):
        axes.text(
            column + 0.5, row + 0.5, "not run", ha="center", va="center", fontsize=6, color=NEUTRAL
        )
    axes.set_xticks(np.arange(len(ratios)) + 0.5, [f"{ratio:g}" for ratio in ratios])
    axes.tick_params(length=0, labelrotation=0)
    axes.grid(False)
    axes.set(xlabel="", ylabel="")
    return axes.collections[0]


if __name__ == "__main__":
    run_by_name(snakemake, main)
