"""Figures of the thesis on schedules of noise and on fairness (chapters 2 and 3).

Each function draws one; pdf, png and its numbers go beside the svg.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from fbftl.findings.plots.kinds import lines
from fbftl.findings.plots.spec import (
    Look,
    Panel,
    Scale,
    Spec,
    alongside,
    in_order,
    level,
    marks,
    to_draw,
)
from fbftl.findings.steps import Axes
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, ordered_colors, save
from fbftl.privacy.schedules import fitted_gamma, gamma_of, gradient_influence, named

NO_NOISE, EVEN = "no noise", "uniform"

EVEN_COLOUR = "#D55E00"


def budget(table: str, svg: str) -> None:
    """Draw loss and accuracy of noisy descent against the samples, and the schedules' noise.

    Left to right: the noise of every step, training loss, test accuracy, the last two with the line
    that needs no noise (paper thesis, Fig. 2.1).
    """
    points = plotted(to_draw(table))
    noise = multipliers(points)
    names = [name for name in points["label"].drop_duplicates() if name != NO_NOISE]
    falling = [name for name in names if name != EVEN]
    colours = dict(zip(falling, ordered_colors(len(falling)), strict=True)) | {EVEN: EVEN_COLOUR}
    looks = {name: Look(colours[name]) for name in names} | {NO_NOISE: Look(line=":")}
    looks |= {f"_{name}": Look(colours[name], "") for name in names}
    seen = alongside(marks(points, "seen", series=points["label"]), [*names, NO_NOISE], 3)["x"]
    frame = pd.concat(
        [
            marks(noise, "step", "sigma", series="_" + noise["label"], panel="noise", factor=1),
            marks(points, seen, "loss", series=points["label"], panel="loss", factor=1),
            marks(points, seen, series=points["label"], panel="accuracy"),
        ]
    )
    rows = Scale("samples N", ticks=sorted(points["seen"].unique()))
    panels = {
        "noise": Panel(Scale("step t"), Scale("noise multiplier σ$_t$")),
        "loss": Panel(rows, Scale("training loss (nats)", "log 1-2-5")),
        "accuracy": Panel(rows, Scale("test accuracy (%)")),
    }
    figure = lines(frame, Spec(looks, panels, (TEXT_WIDTH, 0.36 * TEXT_WIDTH), legend=5))
    drawn = pd.concat([points, noise], ignore_index=True)
    save(figure, svg, drawn, "Noise schedules, training loss and accuracy")


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
    drawn = plain[plain["descent_steps"] == plain["seen"].map(of_rows)]
    falling = drawn["decay"].map("exponential, a = {:g}".format)
    label = falling.where(drawn["schedule"] == "exp", drawn["schedule"])
    return drawn.assign(label=label)


def multipliers(points: pd.DataFrame) -> pd.DataFrame:
    """Return the noise of every step of the schedules drawn, one row per step.

    All share out the budget that uniform noise spends.
    """
    rows, uniform = [], points[points["schedule"] == EVEN].iloc[0]
    spent = float(uniform["descent_steps"] * uniform["sigma"] ** -2)
    noisy = points[points["schedule"] != NO_NOISE].drop_duplicates("label")
    for line in noisy.to_dict("records"):
        sigmas = named(line["schedule"], spent, int(line["descent_steps"]), line["decay"])
        rows += [(line["label"], step, sigma) for step, sigma in enumerate(sigmas, start=1)]
    return pd.DataFrame(rows, columns=["label", "step", "sigma"])


BOUNDS = {
    "uniform": ("uniform noise, best T", Look(EVEN_COLOUR, "")),
    "best": ("best schedule, best T", Look("#0072B2", "")),
    "best, printed T": ("best schedule, printed T", Look("#0072B2", "", ":")),
}
"""Names and looks of the curves."""


def budget_bounds(table: str, svg: str) -> None:
    """Draw the bound on the excess loss against the condition number, a panel per alpha."""
    bounds = to_draw(table)
    series = bounds["schedule"].map({name: words for name, (words, _) in BOUNDS.items()})
    frame = marks(bounds, "kappa", "bound", series=series, panel=bounds["alpha"], factor=1)
    x = Scale("condition number κ", "log")
    y = Scale("bound over initial excess", "log", reference=1)
    alphas = sorted(bounds["alpha"].unique())
    titles = [f"α = {np.format_float_positional(alpha)}" for alpha in alphas]
    panels = {alpha: Panel(x, y, title) for alpha, title in zip(alphas, titles, strict=True)}
    spec = Spec(dict(BOUNDS.values()), panels, (TEXT_WIDTH, 0.4 * TEXT_WIDTH), legend=3)
    save(lines(frame, spec), svg, bounds, "Bound on the excess loss by condition number")


FITTED = "fitted"


def influence(table: str, svg: str, decays: Sequence[float]) -> None:
    """Draw the influence of each step's noise on the end: measured, fitted, and by schedules.

    An exponential schedule of decay a is the best one where influence rises by the square of a from
    the first step to the last (paper thesis, Lemma 1). Each is drawn at the level that fits best.

    Args:
        table: what was measured, by step.
        svg: the figure to write.
        decays: of the exponential schedules to compare with.
    """
    measured = to_draw(table)
    curves = pd.concat([curve(measured, FITTED), *(curve(measured, decay) for decay in decays)])
    names = list(dict.fromkeys(curves["line"]))
    looks = {"measured": Look(line=""), names[0]: Look(marker="")}
    colours = zip(names[1:], ordered_colors(len(names) - 1), strict=True)
    looks |= {name: Look(colour, "", "--") for name, colour in colours}
    points = measured.assign(spread=2 * measured["error"])
    frame = pd.concat(
        [
            marks(curves, "step", "influence", series=curves["line"], factor=1),
            marks(points, "step", "influence", series="measured", factor=1),
        ]
    )
    # An early step's estimate may lie below 0.
    y = Scale("final loss per variance, ∂L/∂σ$_t^2$", reference=0)
    figure = lines(frame, Spec(looks, {"": Panel(Scale("step t"), y)}, legend=2))
    figure.axes[0].ticklabel_format(axis="y", scilimits=(0, 0))
    drawn = pd.concat([measured.assign(line="measured"), curves])
    save(figure, svg, drawn, "Influence of a step's noise on the loss")


def curve(measured: pd.DataFrame, decay: float | str) -> pd.DataFrame:
    """Return the influence of every step that fits best, at a schedule's decay or at any."""
    steps = int(measured["steps"].iloc[0])
    at = measured["step"].to_numpy() - 1
    values, errors = measured["influence"].to_numpy(), measured["error"].to_numpy()
    is_fitted = decay == FITTED
    gamma = fitted_gamma(steps, at + 1, values, errors) if is_fitted else gamma_of(decay, steps)
    shape = gradient_influence(steps, gamma)
    weights = errors**-2
    height = (weights * values * shape[at]).sum() / (weights * shape[at] ** 2).sum()
    words = f"q$_t$ of a = {gamma ** (-(steps - 1) / 2):.3g}"
    return pd.DataFrame(
        {
            "line": f"fitted: {words}" if is_fitted else words,
            "step": np.arange(1, steps + 1),
            "influence": height * shape,
            "gamma": gamma,
        }
    )


ADVERSARIES = {"none": "no adversary", "plain": "adversary", "squared": "adversary, squared loss"}
"""Names of the lines."""


def domain_adaptation(runs: str, svg: str, axes: Axes) -> None:
    """Draw accuracy on the domain without labels by how often its user takes part."""
    table = to_draw(runs, axes)
    one_a_round = table[table["minority_participation"].notna()]
    target = 1 - one_a_round["minority_participation"]
    grouped = one_a_round.assign(target=target).groupby(["adversary", "target"])["accuracy_1"]
    means = grouped.agg(mean="mean", std="std", seeds="count").reset_index()
    chance = one_a_round["accuracy_by_chance"].mean()
    points = means.rename(columns={"mean": "accuracy", "std": "spread"})
    frame = marks(points, "target", series=points["adversary"].map(ADVERSARIES))
    frame = alongside(frame, list(ADVERSARIES.values()), 0.01)
    always = "most frequent class"
    frame = pd.concat([frame, level(100 * chance, frame, always)])
    looks = in_order(list(ADVERSARIES.values())) | {always: Look(NEUTRAL, "", ":")}
    ticks = sorted(means["target"].unique())
    panel = Panel(
        Scale("share of rounds of the user without labels", ticks=ticks),
        Scale("accuracy on its domain (%)", limits=(0, None)),
    )
    figure = lines(frame, Spec(looks, {"": panel}, legend=2))
    save(figure, svg, means.assign(by_chance=chance), "Accuracy on the unlabelled domain")


NETWORKS = {"he": "He's initial weights", "torch": "torch's initial weights"}
"""Whose initial values a network of the study has; another's name stands for itself."""

SCORES = {
    "delta_eo": ("equalised odds gap ΔEO", 1),
    "accuracy": ("balanced accuracy (%)", 100),
    "probe": ("accuracy of the probe (%)", 100),
}
"""Labels and factors of the panels of a network."""


def fairness(runs: str, svg: str, axes: Axes) -> None:
    """Draw what an adversary of groups buys: odds, accuracy and a probe by users of the majority.

    Left to right: the difference in equalised odds, the balanced accuracy and the accuracy of a
    probe that reads the group, at the end of training. A row for each network.

    Args:
        runs: tidy table of the experiment.
        svg: path of the svg.
        axes: those of fairness, with their defaults.
    """
    table = to_draw(runs, axes)
    table["adversary"] = table["adversary"].fillna("none")
    means = summary(table)
    frames, panels = [], {}
    users = Scale("users of the majority m", ticks=sorted(means["majority_users"].unique()))
    for network, of_network in means.groupby("network"):
        names = of_network["adversary"].map(ADVERSARIES)
        title = NETWORKS.get(str(network), str(network))
        for score, (words, factor) in SCORES.items():
            at = f"{network} {score}"
            here = marks(of_network, "majority_users", score, series=names, panel=at, factor=factor)
            frames.append(alongside(here, list(ADVERSARIES.values()), 0.15))
            panels[at] = Panel(users, Scale(words), title)
    size = (TEXT_WIDTH, 2.1 * means["network"].nunique() + 0.5)
    spec = Spec(in_order(list(ADVERSARIES.values())), panels, size, columns=len(SCORES), legend=3)
    title = "Equalised odds, accuracy and group probe under an adversary"
    save(lines(pd.concat(frames), spec), svg, means, title)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return means and standard deviations over seeds, a row per network, adversary and m."""
    grouped = table.groupby(["network", "adversary", "majority_users"])
    return grouped.agg(
        delta_eo=("delta_eo", "mean"),
        delta_eo_spread=("delta_eo", "std"),
        accuracy=("balanced_accuracy", "mean"),
        accuracy_spread=("balanced_accuracy", "std"),
        probe=("probe", "mean"),
        probe_spread=("probe", "std"),
        seeds=("seed", "nunique"),
    ).reset_index()
