"""Plot loss and accuracy of noisy descent against the number of rows, and the schedules' noise.

Left to right: the noise of every step, training loss, test accuracy, the last two with the line
that needs no noise (paper thesis, Fig. 2.1).
"""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.story import Story, with_rows
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, ordered_colors, save, use_style
from fbftl.ground.csv_tables import read_table
from fbftl.privacy.schedules import named
from matplotlib.ticker import LogLocator

NO_NOISE, EVEN = "no noise", "uniform"
PANELS = {"loss": ("training loss (nats, log scale)", 1), "accuracy": ("test accuracy (%)", 100)}


def main(table: str, svg: str) -> None:
    """Draw the figure from the table of the experiment; pdf, png and numbers go beside it."""
    use_style()
    points = plotted(with_rows(read_table(table), table))
    noise = multipliers(points)
    numbers = pd.concat([points, noise], ignore_index=True)
    save(draw(points, noise), svg, numbers, story(points))


def story(points: pd.DataFrame) -> Story:
    """Return the mean loss of the best falling schedule beside even noise, at the fewest rows."""
    fewest = points[(points["seen"] == points["seen"].min()) & (points["schedule"] != NO_NOISE)]
    even = fewest.loc[fewest["schedule"] == EVEN, "loss"].iloc[0]
    best = fewest.loc[fewest["loss"].idxmin()]
    title = f"Even noise has the least mean loss at {best['seen']:g} rows: {even:.2g} nats"
    if best["schedule"] != EVEN:
        title = (
            f"At {best['seen']:g} rows the mean loss is least with noise {best['label']}: "
            f"{best['loss']:.2g} nats against {even:.2g} with even noise"
        )
    return Story(
        title,
        "The noise of every step, a line per schedule; training loss in nats on a logarithmic axis "
        "and test accuracy in per cent against the rows, with bars of one standard deviation and "
        "descent without noise as a dotted line.",
    )


def plotted(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows to draw: plain descent, noise by zCDP, the steps with the most rows' counts.

    The number of steps is the one at which most settings were run, over rows and schedules; where a
    number of rows was never run at it, its own most frequent one.
    """
    plain = table[(table["descent_momentum"] == 0) & (table["accountant"] != "exact")]
    steps = plain["descent_steps"].mode().iloc[0]
    of_rows = {
        seen: steps if (alike == steps).any() else alike.mode().iloc[0]
        for seen, alike in plain.groupby("seen")["descent_steps"]
    }
    of_steps = plain[plain["descent_steps"] == plain["seen"].map(of_rows)].assign(
        label=lambda rows: rows.apply(label, axis=1)
    )
    columns = [
        "label", "schedule", "decay", "descent_steps", "sigma", "seen", "loss", "loss_spread",
    ]  # fmt: skip
    return of_steps[[*columns, "accuracy", "accuracy_spread"]]


def label(row: pd.Series) -> str:
    """Return what a line is called."""
    return f"falling, a = {row['decay']:g}" if row["schedule"] == "exp" else row["schedule"]


def multipliers(points: pd.DataFrame) -> pd.DataFrame:
    """Return the noise of every step of the schedules drawn, one row per step.

    All share out the budget that uniform noise spends.
    """
    rows, uniform = [], points[points["schedule"] == "uniform"].iloc[0]
    budget = float(uniform["descent_steps"] * uniform["sigma"] ** -2)
    for line in points.drop_duplicates("label").to_dict("records"):
        if line["schedule"] == NO_NOISE:
            continue
        sigmas = named(line["schedule"], budget, int(line["descent_steps"]), line["decay"])
        rows += [
            {"label": line["label"], "step": step, "sigma": sigma}
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
        line = noise[noise["label"] == name]
        left.plot(line["step"], line["sigma"], color=colours[name])
    left.set_xlabel("step t")
    left.set_ylabel("noise multiplier σ$_t$")
    for axes, (score, (title, factor)) in zip(panels, PANELS.items(), strict=True):
        for index, name in enumerate((*names, NO_NOISE)):
            line = table[table["label"] == name].sort_values("seen")
            points_with_bars(
                axes, line["seen"] + 3 * (index - len(names) / 2), line, score, scale=factor,
                color=colours[name], marker="o", linestyle=":" if name == NO_NOISE else "-",
                label=name,
            )  # fmt: skip
        axes.set_xlabel("rows N")
        axes.set_ylabel(title)
        axes.set_xticks(sorted(table["seen"].unique()))
    panels[0].set_yscale("log")
    panels[0].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    panels[0].yaxis.set_major_formatter("{x:g}")
    panels[0].minorticks_off()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=5, fontsize=7)
    return figure
