"""Plot the bound on the excess loss against the condition number, a panel per alpha."""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.story import Story, with_rows
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, save, use_style
from fbftl.ground.csv_tables import read_table

LOOKS = {
    "uniform": ("#D55E00", "-", "uniform noise, best T"),
    "best": ("#0072B2", "-", "best schedule, best T"),
    "best, printed T": ("#0072B2", ":", "best schedule, printed T"),
}


def main(table: str, svg: str) -> None:
    """Draw the figure from its table; pdf, png and numbers go beside it."""
    use_style()
    bounds = with_rows(read_table(table), table)
    alphas = sorted(bounds["alpha"].unique())
    figure, panels = plt.subplots(
        1, len(alphas), figsize=(TEXT_WIDTH, 0.4 * TEXT_WIDTH), sharey=True, layout="constrained"
    )
    for axes, alpha in zip(panels, alphas, strict=True):
        for name, (colour, line, label) in LOOKS.items():
            curve = bounds[(bounds["alpha"] == alpha) & (bounds["schedule"] == name)]
            axes.plot(curve["kappa"], curve["bound"], color=colour, linestyle=line, label=label)
        axes.axhline(1, color=NEUTRAL, linewidth=0.8)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("condition number κ (log scale)")
        axes.set_title(f"α = {alpha:g}")
    panels[0].set_ylabel("bound, 1 without a step (log scale)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, fontsize=7)
    save(figure, svg, bounds, story(bounds))


def story(bounds: pd.DataFrame) -> Story:
    """Return how much the best schedule lowers the bound at most, and where."""
    wide = bounds.pivot_table(index=["alpha", "kappa"], columns="schedule", values="bound")
    times = wide["uniform"] / wide["best"]
    alpha, kappa = times.idxmax()
    beyond = wide["best, printed T"].gt(1).groupby("alpha").mean()
    return Story(
        f"The best schedule lowers the bound {times.max():.2g} times at most, at α = {alpha:g} and "
        f"κ = {kappa:.3g}",
        "The bound on the excess loss over what it is without a step, against the condition number "
        "κ, both axes logarithmic, a panel per α: uniform noise and the best schedule, each with "
        "the best number of steps T, and the best schedule with the printed T, which lies above 1 "
        + ", ".join(f"for {share:.0%} of κ at α = {alpha:g}" for alpha, share in beyond.items())
        + ".",
    )
