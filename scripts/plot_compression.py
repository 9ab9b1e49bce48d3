"""Heat maps of accuracy over bits per element and keep ratio, one per method (paper, Table V)."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.logs import run_job
from fbftl.runs import read_tidy
from fbftl.style import METHODS, NEUTRAL, TEXT_WIDTH, save, use_style
from matplotlib.axes import Axes

DARK = 0.55
"""Share of the colour scale above which cells are dark and their text is white."""


def main(table: str, svg: str) -> None:
    """Draw the figure from the table of compression; pdf, png and numbers go beside it."""
    use_style()
    cells = read_tidy(table)
    # Where feedback is on or has no meaning: the paper's setting.
    cells = cells[cells["feedback"].ne(False)]
    figure = draw(cells)
    columns = ["method", "q", "r", "kept", "accuracy", "spread", "seeds", "diverged"]
    save(figure, svg, cells[columns])


def draw(cells: pd.DataFrame) -> plt.Figure:
    """Return the figure; cells of settings that were not run are empty."""
    methods = [name for name in METHODS if name in set(cells["method"])]
    bits = sorted(cells["q"].unique(), reverse=True)
    ratios = sorted(cells["r"].unique(), reverse=True)
    figure, panels = plt.subplots(
        1, len(methods), figsize=(TEXT_WIDTH, 1.9), sharey=True, layout="constrained", squeeze=False
    )
    low = 10 * np.floor(10 * cells["accuracy"].min())
    for axes, method in zip(panels[0], methods, strict=True):
        own = cells[cells["method"] == method]
        grid = 100 * own.pivot(index="q", columns="r", values="accuracy").reindex(
            index=bits, columns=ratios
        )
        image = axes.imshow(grid, cmap="Blues", vmin=low, vmax=100, aspect="auto")
        _write_values(axes, grid.to_numpy(), low)
        axes.set_title(METHODS[method].label, loc="left", fontsize="medium")
        axes.set_xticks(range(len(ratios)), [f"{ratio:g}" for ratio in ratios])
        axes.set_yticks(range(len(bits)), [str(q) for q in bits])
        axes.set_xlabel("keep ratio r")
        axes.tick_params(length=0)
        axes.grid(False)
        axes.spines[:].set_visible(False)
    panels[0][0].set_ylabel("bits per element q")
    figure.colorbar(image, ax=panels[0], label="test accuracy (%)", pad=0.01)
    return figure


def _write_values(axes: Axes, grid: np.ndarray, low: float) -> None:
    """Write each cell's value into it."""
    for (row, column), value in np.ndenumerate(grid):
        known = not np.isnan(value)
        dark = known and (value - low) / (100 - low) > DARK
        axes.text(
            column,
            row,
            f"{value:.1f}" if known else "not run",
            ha="center",
            va="center",
            fontsize=6.5 if known else 5,
            color="white" if dark else NEUTRAL,
        )


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.table, job.output[0]))
