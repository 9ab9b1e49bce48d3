"""Heat maps of accuracy over bits per element and keep ratio, one per method (paper, Table V).

A row of them for each share of the clients that a setting was run on.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, of_clients, shown
from fbftl.findings.style import DIVERGED, NEUTRAL, TEXT_WIDTH, save, use_style
from fbftl.ground.logs import run_job
from matplotlib.axes import Axes
from matplotlib.image import AxesImage

DARK = 0.55
"""Share of the colour scale above which cells are dark and their text is white."""


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
            own = cells[(cells["method"] == method.name) & (cells["fraction"] == share)]
            if own.empty:
                axes.set_axis_off()
                continue
            note = ", no feedback" if own["feedback"].eq(False).any() else ""
            title = method.drawn + note + of_clients(share)
            axes.set_title(title, loc="left", fontsize="medium" if share == 1 else "small")
            image = _heat_map(axes, own, *values, low)
        row[0].set_ylabel("bits per element q")
    for axes in panels[-1]:
        axes.set_xlabel("keep ratio r")
    figure.colorbar(image, ax=panels, label="test accuracy (%)", pad=0.01)
    return figure


def _heat_map(
    axes: Axes, own: pd.DataFrame, bits: list[int], ratios: list[float], low: float
) -> AxesImage:
    """Draw one method's cells on one share of the clients, a row per q and a column per r."""
    grid, diverged = (
        own.pivot(index="q", columns="r", values=name).reindex(index=bits, columns=ratios)
        for name in ("accuracy", "diverged")
    )
    image = axes.imshow(100 * grid.astype(float), cmap="Blues", vmin=low, vmax=100, aspect="auto")
    _write_values(axes, 100 * grid.to_numpy(dtype=float), diverged.to_numpy(dtype=float) > 0, low)
    axes.set_xticks(range(len(ratios)), [f"{ratio:g}" for ratio in ratios])
    axes.set_yticks(range(len(bits)), [str(q) for q in bits])
    axes.tick_params(length=0)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.set_xticks(np.arange(0.5, len(ratios) - 1), minor=True)
    axes.set_yticks(np.arange(0.5, len(bits) - 1), minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="minor", length=0)
    return image


def _write_values(axes: Axes, grid: np.ndarray, diverged: np.ndarray, low: float) -> None:
    """Write each cell's value into it, with a mark if a seed diverged after its best epoch."""
    for (row, column), value in np.ndenumerate(grid):
        known = not np.isnan(value)
        dark = known and (value - low) / (100 - low) > DARK
        mark = DIVERGED if diverged[row, column] else ""
        axes.text(
            column,
            row,
            f"{value:.1f}{mark}" if known else "not run",
            ha="center",
            va="center",
            fontsize=6.5 if known else 6,
            color="white" if dark else NEUTRAL,
        )


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.table, job.output.svg, job.params.methods))
