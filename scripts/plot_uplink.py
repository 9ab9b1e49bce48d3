"""Plot accuracy against the bits that clients have sent: the paper's argument in one picture.

The gradient methods send updates round after round, so each is a line to the right. FbFTL sends
once, before training: its accuracy rises at a fixed number of bits.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.exchanged import Exchanged, read_methods
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.style import COLUMN_WIDTH, DIVERGED, NEUTRAL, save, use_style
from fbftl.findings.uplink import SELECTED
from fbftl.ground.logs import run_job
from matplotlib.axes import Axes


def main(
    runs: list[str], ledgers: list[str], by_seed: str, svg: str,
    methods: list[dict[str, Any]], axes: dict[str, Any],
) -> None:  # fmt: skip
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        runs: run files, one per method.
        ledgers: the runs' ledgers, in the same order.
        by_seed: what each method sends by seed, beside the table of methods.
        svg: path of the svg.
        methods: the methods of the runs.
        axes: axes in which a run deviates, with their defaults.
    """
    use_style()
    looks, exchanged = shown(methods), read_methods(runs, ledgers, axes)
    points = pd.concat([curve(exchanged[name]) for name in looks])
    save(draw(points, read_tidy(by_seed), looks), svg, points)


def curve(run: Exchanged) -> pd.DataFrame:
    """Return a method's drawn points: per epoch the bits sent so far and the accuracy.

    Columns: method, epoch, uplink (encoded bits, mean over seeds), accuracy, spread, selected
    (whether it is the epoch nearest to the mean of the seeds' selected ones), diverged (seeds).
    """
    epochs = np.arange(1, run.accuracy.shape[1] + 1)
    sent = [run.until("up", "bits", [epoch] * len(run.seeds)).mean() for epoch in epochs]
    return pd.DataFrame(
        {
            "method": run.method,
            "epoch": epochs,
            "uplink": sent,
            "accuracy": run.accuracy.mean(axis=0),
            "spread": run.accuracy.std(axis=0, ddof=1) if len(run.seeds) > 1 else 0.0,
            "selected": epochs == round(np.mean(run.selected)),
            "diverged": sum(run.diverged),
        }
    )


def draw(points: pd.DataFrame, sent: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure: a line per method with a band of one standard deviation over seeds."""
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.9 * COLUMN_WIDTH), layout="constrained")
    for name, own in points.groupby("method", sort=False):
        look = looks[name]
        mean, spread = 100 * own["accuracy"], 100 * own["spread"]
        axes.plot(own["uplink"], mean, color=look.colour, zorder=2)
        low, high = (mean - spread).clip(lower=0), (mean + spread).clip(upper=100)
        axes.fill_between(own["uplink"], low, high, color=look.colour, alpha=0.15, linewidth=0)
        picked = own[own["selected"]]
        axes.plot(
            picked["uplink"], 100 * picked["accuracy"], linestyle="none", marker=look.marker,
            color=look.colour, markeredgecolor="white", markersize=7, zorder=3,
        )  # fmt: skip
        mark = DIVERGED if own["diverged"].any() else ""
        label = look.drawn + mark
        axes.plot([], [], "-", marker=look.marker, color=look.colour, label=label)
    axes.set(xscale="log", xlabel="uplink of all clients so far (bit)", ylabel="test accuracy (%)")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=len(labels),
        columnspacing=0.9, handlelength=1.5, handletextpad=0.4,
    )  # fmt: skip
    mark_distance(axes, points[points["selected"]].set_index("method"), sent)
    return figure


def mark_distance(axes: Axes, picked: pd.DataFrame, sent: pd.DataFrame) -> None:
    """Write how many times FbFTL's uplink FTL_c has sent when it stops, between the two.

    Args:
        axes: with everything drawn.
        picked: the drawn points at the selected epochs, by method.
        sent: what each method sends by seed (`findings.uplink`).
    """
    if not {"fbftl", "ftl_c"} <= set(picked.index):
        return
    near, far = picked.at["fbftl", "uplink"], picked.at["ftl_c", "uplink"]
    height = axes.get_ylim()[1] + 0.02 * np.ptp(axes.get_ylim())
    axes.annotate(
        "", (near, height), (far, height), arrowprops={"arrowstyle": "<->", "color": NEUTRAL}
    )
    own = sent[(sent["method"] == "ftl_c") & (sent["until"] == SELECTED)]["times_fbftl"]
    spread = f" ± {own.std():,.0f}" if len(own) > 1 else ""
    axes.text(
        np.sqrt(near * far), height, f"× {own.mean():,.0f}{spread}",
        color=NEUTRAL, ha="center", va="center",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )  # fmt: skip
    axes.set_ylim(top=height + 0.05 * np.ptp(axes.get_ylim()))


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            list(job.input.runs),
            list(job.input.ledgers),
            job.input.by_seed,
            job.output.svg,
            job.params.methods,
            job.params.axes,
        ),
    )
