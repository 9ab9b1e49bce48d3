"""Plot loss and accuracy of noisy descent against the number of rows, and the schedules' noise.

Left to right: the noise of every step, training loss, test accuracy, the last two with the line
that needs no noise (paper thesis, Fig. 2.1).
"""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, ordered_colors, save, use_style
from fbftl.ground.csv_tables import read_table
from fbftl.ground.logs import run_job
from fbftl.privacy.schedules import named
from matplotlib.ticker import LogLocator

NO_NOISE, EVEN = "no noise", "uniform"
PANELS = {"loss": ("training loss (nats)", 1), "accuracy": ("test accuracy (%)", 100)}


def main(table: str, svg: str) -> None:
    """Draw the figure from the table of the experiment; pdf, png and numbers go beside it."""
    use_style()
    drawn = plotted(read_table(table))
    noise = multipliers(drawn)
    save(draw(drawn, noise), svg, pd.concat([drawn, noise], ignore_index=True))


def plotted(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows to draw: plain descent, noise by zCDP, the steps with the most rows' counts.

    The number of steps is the one at which most settings were run, over rows and schedules.
    """
    plain = table[(table["momentum"] == 0) & (table["accountant"] != "exact")]
    steps = plain["steps"].mode().iloc[0]
    own = plain[plain["steps"] == steps].assign(label=lambda rows: rows.apply(label, axis=1))
    columns = ["label", "schedule", "decay", "steps", "sigma", "seen", "loss", "loss_spread"]
    return own[[*columns, "accuracy", "accuracy_spread"]]


def label(row: pd.Series) -> str:
    """Return what a line is called."""
    return f"falling, a = {row['decay']:g}" if row["schedule"] == "exp" else row["schedule"]


def multipliers(drawn: pd.DataFrame) -> pd.DataFrame:
    """Return the noise of every step of the schedules drawn, one row per step.

    All share out the budget that uniform noise spends.
    """
    rows, uniform = [], drawn[drawn["schedule"] == "uniform"].iloc[0]
    budget = float(uniform["steps"] * uniform["sigma"] ** -2)
    for one in drawn.drop_duplicates("label").to_dict("records"):
        if one["schedule"] == NO_NOISE:
            continue
        sigmas = named(one["schedule"], budget, int(one["steps"]), one["decay"])
        rows += [
            {"label": one["label"], "step": step, "sigma": sigma}
            for step, sigma in enumerate(sigmas, start=1)
        ]
    return pd.DataFrame(rows)


def draw(table: pd.DataFrame, noise: pd.DataFrame) -> plt.Figure:
    """Return the figure, means with bars of one standard deviation over seeds."""
    names = [name for name in table["label"].drop_duplicates() if name != NO_NOISE]
    falling = [name for name in names if name != EVEN]
    colours = dict(zip(falling, ordered_colors(len(falling)), strict=True))
    colours |= {EVEN: "#D55E00", NO_NOISE: NEUTRAL}
    figure, (left, *panels) = plt.subplots(
        1, 3, figsize=(TEXT_WIDTH, 0.36 * TEXT_WIDTH), layout="constrained"
    )
    for name in names:
        own = noise[noise["label"] == name]
        left.plot(own["step"], own["sigma"], color=colours[name])
    left.set_xlabel("step t")
    left.set_ylabel("noise σ$_t$")
    for axes, (score, (title, factor)) in zip(panels, PANELS.items(), strict=True):
        for place, name in enumerate((*names, NO_NOISE)):
            own = table[table["label"] == name].sort_values("seen")
            axes.errorbar(
                own["seen"] + 3 * (place - len(names) / 2),
                factor * own[score],
                factor * own[f"{score}_spread"],
                color=colours[name],
                marker="o",
                linestyle=":" if name == NO_NOISE else "-",
                capsize=2,
                label=name,
            )
        axes.set_xlabel("rows N")
        axes.set_ylabel(title)
        axes.set_xticks(sorted(table["seen"].unique()))
    panels[0].set_yscale("log")
    panels[0].yaxis.set_major_locator(LogLocator(subs=(1, 3)))
    panels[0].yaxis.set_major_formatter("{x:g}")
    panels[0].minorticks_off()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=5, fontsize=7)
    return figure


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.table, job.output.svg))
