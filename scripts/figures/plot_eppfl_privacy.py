"""Plot EPPFL's accuracy against the ε of one activation, both inferences (paper eppfl, Fig. 4).

One panel per sensitivity that was run; the paper's points for its own task have one of their own.
"""

from typing import TYPE_CHECKING

import pandas as pd
from fbftl.findings import published
from fbftl.findings.marks import points_with_bars
from fbftl.findings.story import Story, compared, measured, with_rows
from fbftl.findings.style import NEUTRAL, PRINTED, TEXT_WIDTH, aside, save, use_style
from fbftl.ground.csv_tables import read_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS = {
    "channel_maximum": (
        "Channel maximum (no guarantee)",
        "noise by the channel maximum, which guarantees nothing",
    ),
    "clip": ("Clipped", "noise on clipped activations"),
}
"""Title of each sensitivity's panel, and what an alternative text calls it."""

INFERENCES = {"accuracy": ("clean", "o", "#0072B2"), "protected": ("protected", "s", "#D55E00")}

WHOLE = {"keep_activations": 1.0, "keep_gradients": 1.0, "local_epochs": 2, "aggregation": "open"}
"""Settings of the figure, beside noise: nothing is dropped."""


def main(table: str, printed: str, svg: str) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        table: EPPFL's table.
        printed: the published accuracies.
        svg: path of the svg.
    """
    use_style()
    shown = plotted(with_rows(read_table(table), table))
    save(draw(shown, points(published.read(printed))), svg, shown, story(shown))


def story(table: pd.DataFrame) -> Story:
    """Return what protecting inference too does, at the least ε that has a guarantee."""
    noisy = table[table["epsilon"].notna()]
    guaranteed = noisy[noisy["laplace_sensitivity"] == "clip"]
    least = (guaranteed if len(guaranteed) else noisy).sort_values("epsilon").iloc[0]
    sides = (measured(least), measured(least, "protected"))
    return Story(
        f"At ε = {least['epsilon']:g} {compared(('clean inference', 'protected'), sides)}",
        "Test accuracy in per cent against the ε of one activation, on a logarithmic axis, of "
        "clean and of protected inference with bars of one standard deviation, in a panel for "
        f"{' and one for '.join(PANELS[name][1] for name in sensitivities(table))}; the run "
        "without noise is a level. In a panel of its own what the paper prints of CIFAR-10.",
    )


def sensitivities(table: pd.DataFrame) -> list[str]:
    """Return the sensitivities under which there is a run with noise, in the order of panels."""
    run = set(table.loc[table["epsilon"].notna(), "laplace_sensitivity"])
    return [name for name in PANELS if name in run]


def plotted(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows to draw: without selection, with noise or none."""
    keep = table["client_part"].isna()
    for axis, value in WHOLE.items():
        keep &= table[axis] == value
    columns = [
        "laplace_sensitivity",
        "epsilon",
        *INFERENCES,
        "spread",
        "protected_spread",
        "diverged",
        *({"seeds"} & set(table)),
    ]
    return table.loc[keep, columns].sort_values(
        ["laplace_sensitivity", "epsilon"], ignore_index=True
    )


def points(printed: pd.DataFrame) -> pd.DataFrame:
    """Return the paper's accuracies by ε; DPFL's number is its ε."""
    shown = printed[(printed["quantity"] == "accuracy") & printed["setting"].str.match(r"DPFL\d+$")]
    epsilon = shown["setting"].str.removeprefix("DPFL").astype(float)
    return pd.DataFrame({"epsilon": epsilon, "accuracy": shown["printed"].astype(float)})


def draw(table: pd.DataFrame, paper: pd.DataFrame) -> "Figure":
    """Return the figure of mean accuracies, bars of one standard deviation over seeds."""
    import matplotlib.pyplot as plt

    names = sensitivities(table)
    figure, grid = plt.subplots(1, len(names) + 1, figsize=(TEXT_WIDTH, 2.3), sharey=True)
    epsilons = sorted(table["epsilon"].dropna().unique())
    clean = table.loc[table["epsilon"].isna(), "accuracy"]
    for axes, name in zip(grid, names, strict=False):
        panel(axes, table[table["laplace_sensitivity"] == name])
        for level in 100 * clean[:1]:
            axes.axhline(level, color=NEUTRAL, linestyle=":", label="without noise")
        axes.set_title(PANELS[name][0], loc="left", fontsize="medium")
    order = paper.sort_values("epsilon")
    grid[-1].plot(order["epsilon"], order["accuracy"], **PRINTED)
    grid[-1].set_title("Printed, CIFAR-10", loc="left", fontsize="medium")
    for axes in grid:
        axes.set_xscale("log")
        axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
        axes.minorticks_off()
        axes.set_ylim(-3, 103)
        axes.set_xlabel("ε of one activation (log scale)")
    grid[0].set_ylabel("test accuracy (%)")
    grid[0].legend(fontsize=7, loc="lower right")
    figure.tight_layout()
    return figure


def panel(axes: "Axes", table: pd.DataFrame) -> None:
    """Draw one sensitivity: a line per inference."""
    for index, (column, (label, marker, color)) in enumerate(INFERENCES.items()):
        points_with_bars(
            axes, aside(index, len(INFERENCES)) * table["epsilon"], table, column,
            color=color, marker=marker, label=f"{label} inference",
        )  # fmt: skip
