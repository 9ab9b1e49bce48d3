"""Plot what every client gains by taking part, against training alone: who loses is seen."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.marks import PointName, name_lines
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, with_rows
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, save, use_style
from fbftl.findings.wording import axes_of, setting_words

DASHES = ("-", "--", ":", "-.")
"""Of a method's settings, in turn."""

TELLING = ("partition", "seed_samples")
"""Axes that tell a method's settings apart."""


def main(series: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        series: the experiment's series, a row per setting, seed and client.
        svg: path of the svg.
        methods: the methods of the experiment.
    """
    use_style()
    rows, looks = read_tidy(series), shown(methods)
    gains = with_rows(rows[rows["series"] == "gain_by_client"], series)
    ranks = pd.concat(
        [ranked(name, client_gains) for name, client_gains in gains.groupby("setting")]
    )
    save(draw(ranks, looks), svg, ranks, story(ranks, looks))


def story(ranks: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return under which setting most clients lose, and which gains most."""
    losing = (ranks["gain"] < 0).groupby(ranks["setting"]).mean()
    middle = ranks.groupby("setting")["gain"].median()
    worst, best = losing.idxmax(), middle.idxmax()
    title = (
        f"{losing[worst]:.0%} of clients lose by taking part under {label(worst, looks)}"
        if losing[worst] > 0
        else "No client loses by taking part under any setting"
    )
    return Story(
        title,
        "Gained accuracy in percentage points against the share of clients in the order of their "
        "gains, from who loses most, a line per setting; below the line at 0 clients lose. The "
        f"median gain is largest under {label(best, looks)}, {100 * middle[best]:.1f} points.",
    )


def ranked(setting: str, gains: pd.DataFrame) -> pd.DataFrame:
    """Return the gains of all clients of all seeds, ascending, with each one's rank in percent."""
    ordered = np.sort(gains["value"].to_numpy())
    rank = 100 * (np.arange(len(ordered)) + 0.5) / len(ordered)
    return pd.DataFrame({"setting": setting, "rank": rank, "gain": ordered})


def draw(ranks: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure: a line per setting; what lies below 0 has lost."""
    figure, axes = plt.subplots(figsize=(0.75 * TEXT_WIDTH, 3.2), layout="constrained")
    lines_of: dict[str, int] = {}
    ends = []
    for setting, line in ranks.groupby("setting", sort=False):
        look = looks[str(setting).split("+")[0]]
        dash = DASHES[lines_of.setdefault(look.name, 0) % len(DASHES)]
        lines_of[look.name] += 1
        axes.plot(line["rank"], 100 * line["gain"], dash, color=look.colour)
        last = line.iloc[-1]
        ends.append(
            PointName(label(str(setting), looks), last["rank"], 100 * last["gain"], look.colour)
        )
    axes.axhline(0, color=NEUTRAL, linewidth=0.8)
    axes.annotate(
        "no gain", (0.01, 0), xycoords=("axes fraction", "data"), va="bottom", color=NEUTRAL,
        fontsize="small",
    )  # fmt: skip
    axes.set(xlim=(0, 100), xlabel="clients, from who loses most (%)")
    axes.set_ylabel("gained accuracy (percentage points)")
    name_lines(axes, ends)
    return figure


def label(setting: str, looks: dict[str, ShownMethod]) -> str:
    """Return how the figure writes a setting: its method, dealing of labels and seed samples."""
    parts = {axis: value for axis, value in axes_of(setting).items() if axis in TELLING}
    name = looks[setting.split("+")[0]].figure_label
    return ", ".join(filter(None, [name, setting_words(parts)]))
