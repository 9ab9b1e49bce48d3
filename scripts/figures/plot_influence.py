"""Plot the influence of each step's noise on the end: measured, fitted, and as schedules assume it.

An exponential schedule of decay a is the best one where influence rises by the square of a from
the first step to the last (paper thesis, Lemma 1). Each is drawn at the level that fits best.
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.runs import read_tidy
from fbftl.findings.story import Story, with_rows
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, ordered_colors, save, use_style
from fbftl.privacy.schedules import fitted_gamma, gamma_of, gradient_influence

FITTED = "fitted"


def main(table: str, svg: str, decays: Sequence[float]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        table: what was measured, by step.
        svg: the figure to write.
        decays: of the exponential schedules to compare with.
    """
    use_style()
    measured = with_rows(read_tidy(table), table)
    lines = pd.concat([line(measured, FITTED), *(line(measured, decay) for decay in decays)])
    numbers = pd.concat([measured.assign(line="measured"), lines])
    save(draw(measured, lines), svg, numbers, story(lines))


def story(lines: pd.DataFrame) -> Story:
    """Return by how much influence rises from the first step to the last, as it is fitted."""
    fitted = lines[lines["line"].str.startswith(FITTED)]["influence"]
    rise = float(f"{fitted.iloc[-1] / fitted.iloc[0]:.2g}")
    return Story(
        f"As fitted, noise on the last step weighs about {rise:,g} times as much as noise on the "
        "first",
        "What the variance of each step's noise adds to the loss in the end, against the step: "
        "measured means with bars of two standard errors, the line fitted to them, and dashed the "
        "influence that exponential schedules of several decays assume.",
    )


def line(measured: pd.DataFrame, decay: float | str) -> pd.DataFrame:
    """Return the influence of every step that fits best, at a schedule's decay or at any."""
    steps = int(measured["steps"].iloc[0])
    at = measured["step"].to_numpy() - 1
    influence, errors = measured["influence"].to_numpy(), measured["error"].to_numpy()
    if decay == FITTED:
        gamma = fitted_gamma(steps, at + 1, influence, errors)
    else:
        gamma = gamma_of(decay, steps)
    shape = gradient_influence(steps, gamma)
    weights = errors**-2
    level = (weights * influence * shape[at]).sum() / (weights * shape[at] ** 2).sum()
    label = f"q$_t$ of a = {gamma ** (-(steps - 1) / 2):.3g}"
    return pd.DataFrame(
        {
            "line": f"fitted: {label}" if decay == FITTED else label,
            "step": np.arange(1, steps + 1),
            "influence": level * shape,
            "gamma": gamma,
        }
    )


def draw(measured: pd.DataFrame, lines: pd.DataFrame) -> plt.Figure:
    """Return the figure, measured means with bars of two standard errors."""
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.8 * COLUMN_WIDTH), layout="constrained")
    axes.errorbar(
        measured["step"],
        measured["influence"],
        2 * measured["error"],
        color=NEUTRAL,
        marker="o",
        linestyle="",
        capsize=2,
        label="measured",
    )
    names = list(dict.fromkeys(lines["line"]))
    for name, colour in zip(names, [NEUTRAL, *ordered_colors(len(names) - 1)], strict=True):
        steps = lines[lines["line"] == name]
        style = "-" if name.startswith(FITTED) else "--"
        axes.plot(steps["step"], steps["influence"], color=colour, linestyle=style, label=name)
    axes.set_xlabel("step t")
    axes.set_ylabel("loss in the end per variance, ∂L/∂σ$_t^2$")
    axes.axhline(0, color=NEUTRAL, linewidth=0.5)  # an early step's estimate may lie below it
    axes.ticklabel_format(axis="y", scilimits=(0, 0))
    axes.legend(fontsize=6.5)
    return figure
