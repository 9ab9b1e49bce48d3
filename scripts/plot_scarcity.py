"""Plot accuracy against packet loss rate, a line per share of clients (paper, Fig. 8)."""

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from fbftl.logs import run_job
from fbftl.runs import mean_and_spread, read_tidy
from fbftl.style import COLUMN_WIDTH, NEUTRAL, save, use_style

SEMANTICS = {"persistent": "lost for good", "reshuffled": "reshuffled (public script)"}


def main(runs: str, svg: str) -> None:
    """Draw the figure from an experiment's tidy table; pdf, png and numbers go beside it."""
    use_style()
    table = mean_and_spread(read_tidy(runs), ["fraction", "plr", "loss"])
    save(draw(table), svg, table)


def draw(table: pd.DataFrame) -> plt.Figure:
    """Return the figure of mean accuracies with one standard deviation over seeds as a band."""
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.8 * COLUMN_WIDTH))
    fractions = sorted(table["fraction"].unique(), reverse=True)
    colours = sns.color_palette("viridis", len(fractions) + 1)
    for fraction, colour in zip(fractions, colours, strict=False):
        of_fraction = table[table["fraction"] == fraction]
        _line(axes, of_fraction[of_fraction["loss"] == "persistent"], colour, "-", "o")
        # Without loss the two semantics are the same run; both lines begin there.
        dashed = of_fraction[(of_fraction["loss"] == "reshuffled") | (of_fraction["plr"] == 0)]
        if (dashed["loss"] == "reshuffled").any():
            _line(axes, dashed, colour, "--", "D")
        axes.plot([], [], color=colour, label=f"{fraction:.1%} of clients".replace(".0%", "%"))
    axes.plot([], [], color=NEUTRAL, linestyle="-", marker="o", label=SEMANTICS["persistent"])
    if (table["loss"] == "reshuffled").any():
        axes.plot([], [], color=NEUTRAL, linestyle="--", marker="D", label=SEMANTICS["reshuffled"])
    rates = sorted(table["plr"].unique())
    axes.set_xscale("log")
    axes.set_xticks([1 - rate for rate in rates], [f"{rate:g}" for rate in rates])
    axes.minorticks_off()
    axes.invert_xaxis()
    axes.set_xlabel("packet loss rate (spaced by the share that arrives)")
    axes.set_ylabel("test accuracy (%)")
    axes.legend(loc="lower left", fontsize=6.5)
    return figure


def _line(axes: plt.Axes, rows: pd.DataFrame, colour: tuple, style: str, marker: str) -> None:
    """Draw one line with its band; rows have plr, accuracy and spread."""
    rows = rows.sort_values("plr")
    x, mean = 1 - rows["plr"], 100 * rows["accuracy"]
    spread = 100 * rows["spread"].fillna(0)
    axes.plot(x, mean, style, color=colour, marker=marker, markersize=3.5)
    axes.fill_between(x, mean - spread, mean + spread, color=colour, alpha=0.15, linewidth=0)


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.runs, job.output[0]))
