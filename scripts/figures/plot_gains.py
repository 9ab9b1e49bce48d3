"""Plot what every client gains by taking part, against training alone: who loses is seen."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, save, use_style
from fbftl.ground.binding import run_by_name

DASHES = ("-", "--", ":", "-.")
"""Of a method's settings, in turn."""


def main(series: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        series: the experiment's series, a row per setting, seed and client.
        svg: path of the svg.
        methods: the methods of the experiment.
    """
    use_style()
    rows = read_tidy(series)
    gains = rows[rows["series"] == "gain_by_client"]
    ranks = pd.concat(
        [ranked(name, client_gains) for name, client_gains in gains.groupby("setting")]
    )
    save(draw(ranks, shown(methods)), svg, ranks)


def ranked(setting: str, gains: pd.DataFrame) -> pd.DataFrame:
    """Return the gains of all clients of all seeds, ascending, with each one's rank in percent."""
    ordered = np.sort(gains["value"].to_numpy())
    rank = 100 * (np.arange(len(ordered)) + 0.5) / len(ordered)
    return pd.DataFrame({"setting": setting, "rank": rank, "gain": ordered})


def draw(ranks: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure: a line per setting; what lies below 0 has lost."""
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, COLUMN_WIDTH), layout="constrained")
    lines_of: dict[str, int] = {}
    for setting, line in ranks.groupby("setting", sort=False):
        method, *axes_named = setting.split("+")
        dash = DASHES[lines_of.setdefault(method, 0) % len(DASHES)]
        lines_of[method] += 1
        label = ", ".join([looks[method].figure_label, *label_parts(axes_named)])
        axes.plot(line["rank"], 100 * line["gain"], dash, color=looks[method].colour, label=label)
    axes.axhline(0, color=NEUTRAL, linewidth=0.8)
    axes.set(xlabel="clients, from who loses most (%)", ylabel="gained accuracy (points)")
    figure.legend(loc="outside upper center", ncols=2)
    return figure


def label_parts(axes: Sequence[str]) -> list[str]:
    """Return how a legend tells a setting from the method's others."""
    values = dict(axis.split("=") for axis in axes)
    seeds = [f"{values['seed_samples']} seed samples"] if "seed_samples" in values else []
    return [*([values["partition"]] if "partition" in values else []), *seeds]


if __name__ == "__main__":
    run_by_name(snakemake, main)
