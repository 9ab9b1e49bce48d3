"""Tables of paper thesis: budgets of noise, groups of people, and purchases of a cloud.

Each function returns one.
"""

from collections.abc import Callable
from math import floor
from typing import Any

import numpy as np
import pandas as pd
from fbftl.findings import tables as shared
from fbftl.findings.outsourcing import CHOICES, purchases
from fbftl.findings.published import effects_by
from fbftl.findings.runs import by_setting, of_baseline, reached, read_tidy
from fbftl.findings.steps import Axes
from fbftl.findings.tables import Column, ResultTable, prefixed
from fbftl.findings.wording import mechanism_words
from fbftl.privacy.schedules import best_steps, dynamic_bound, printed_steps, uniform_bound

# --- budget ---------------------------------------------------------------------------------------

BUDGET_AT = ["seen", "descent_steps", "mechanism", "accountant", "descent_momentum"]
"""What a schedule and the uniform one beside it have in common, with epsilon."""

BUDGET_COLUMNS = [
    Column("seen", "N", "samples", "{:.0f}", page=True),
    Column("descent_steps", "T", "steps", "{:.0f}", page=True),
    Column("schedule", "Schedule", format=lambda at: at.replace("exp", "exponential"), page=True),
    Column("decay", "Decay a", format="{:g}"),
    Column("descent_momentum", "β", format="{:g}"),
    *shared.with_spread("loss", "Training loss", "nats", "{:.4f}", page=True),
    Column("ratio", "Loss over that of uniform noise", format="{:.3f}", page=True),
    Column("gain", "Seeds that gain", format=shared.PERCENT),
    Column("effect", "Effect of the schedule on the loss", page=True),
    *shared.with_spread("accuracy", "Accuracy"),
    Column("sigma", "Least σ", "G/N", "{:.3g}", page=True),
    Column("epsilon_zcdp", "ε by zCDP", format="{:.3f}"),
    Column("epsilon_exact", "ε exact, sample removed", format="{:.3f}", page=True),
    Column("epsilon_replaced", "ε exact, sample replaced", format="{:.3f}"),
    *shared.SEED_COUNTS,
]

NO_NOISE = "no noise"


def budget(runs: str, guarantees: str, axes: Axes) -> ResultTable:
    """Tabulate noisy descent by rows, steps and schedule: loss, accuracy, epsilon, ratio to even
    noise.

    Each schedule is beside uniform noise of the same budget, rows, steps and momentum, paired by
    seed. The ratio is of training losses: that is what a schedule is made for.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its runs guarantee.
        axes: the axes of a row, with their defaults.
    """
    guaranteed = read_tidy(guarantees, axes)
    table = budget_rows(read_tidy(runs, axes))
    table["sigma"] = table["setting"].map(reached(guaranteed, "given_sigma"))
    for name, (accountant, adjacency) in EPSILONS.items():
        of_kind = {"given_accountant": accountant, "adjacency": adjacency}
        table[name] = table["setting"].map(reached(guaranteed, **of_kind))
    keys = ["seen", "descent_steps", "descent_momentum", "accountant", "schedule", "decay"]
    table = table.sort_values(keys, na_position="first", ignore_index=True)
    return ResultTable(table, BUDGET_COLUMNS)


EPSILONS = {
    "epsilon_zcdp": ("zCDP", "add-remove"),
    "epsilon_exact": ("exact Gaussian", "add-remove"),
    "epsilon_replaced": ("exact Gaussian", "replace-one"),
}
"""Accountant and neighbours of each epsilon."""


def budget_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting: what its schedule gains over uniform noise of the same budget."""
    axes, scores = [*BUDGET_AT, "epsilon"], {"loss": "training_loss", "accuracy": "test_accuracy"}
    table = by_setting(runs, [*axes, "schedule", "decay"], scores)
    falling, noisy = table["schedule"] != "uniform", table["mechanism"] != "none"
    loss = runs.assign(log=np.log(runs["training_loss"]))
    change = loss["log"] - of_baseline(loss, loss["schedule"] == "uniform", [*axes, "seed"], "log")
    gained = loss.assign(change=change, gain=(change < 0).where(change.notna()))
    gained = gained[gained["schedule"] != "uniform"]
    table["ratio"] = (table["loss"] / of_baseline(table, ~falling, axes, "loss")).where(falling)
    table["gain"] = table["setting"].map(gained.groupby("setting")["gain"].mean())
    effects = effects_by(gained, "change", ["setting"]).set_index("setting")["effect"]
    return table.assign(
        effect=table["setting"].map(effects),
        accountant=table["accountant"].where(noisy),
        schedule=table["schedule"].where(noisy, NO_NOISE),
        decay=table["decay"].where(falling),
    )


# --- budget bounds --------------------------------------------------------------------------------

KAPPAS = (2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000)
ALPHAS = (1e-5, 1e-3)

MOST = 20_000
"""Steps that are scanned at most."""

BUDGET_BOUNDS_COLUMNS = [
    Column("alpha", "α", format="{:g}"),
    Column("kappa", "κ", format="{:g}"),
    Column("schedule", "Schedule"),
    Column("steps", "T", "steps", "{:.0f}"),
    Column("bound", "Bound", format="{:.4g}"),
]


def budget_bounds() -> ResultTable:
    """Tabulate the bound on what is left of the excess loss against the condition number kappa.

    Both schedules have their best number of steps, an integer scan; a third line has the one that
    paper thesis prints for the best schedule (Thm 4), at which the bound can exceed the 1 of no
    step."""
    rows = [row for alpha in ALPHAS for kappa in KAPPAS for row in bounds_at(alpha, kappa)]
    return ResultTable(pd.DataFrame(rows), BUDGET_BOUNDS_COLUMNS)


def bounds_at(alpha: float, kappa: float) -> list[dict[str, object]]:
    """Return the three bounds at one alpha and kappa."""
    gamma = 1 - 1 / kappa
    printed = floor(printed_steps(alpha, kappa))
    most = min(MOST, 2 * printed + 2)
    schedules = {
        "uniform": (best_steps(uniform_bound, alpha, gamma, most), uniform_bound),
        "best": (best_steps(dynamic_bound, alpha, gamma, most), dynamic_bound),
        "best, printed T": (printed, dynamic_bound),
    }
    return [
        {"alpha": alpha, "kappa": kappa, "schedule": name, "steps": steps}
        | {"bound": bound(steps, alpha, gamma)}
        for name, (steps, bound) in schedules.items()
    ]


# --- fairness -------------------------------------------------------------------------------------


FAIRNESS_AT = ("network", "majority_users", "minority_participation", "local_steps", "aggregation")
"""What an adversary and the run without one have in common, with the noise."""

NOISE = ("mechanism", "sigma", "epsilon")

GAME = (
    "adversary", "discriminator_rate", "discriminator_sees", "discriminator_start",
    "unlabelled_loss",
)  # fmt: skip

MEASURED = {
    "balanced_accuracy": "Accuracy, mean of groups",
    "accuracy_1": "Accuracy, group 1",
    "delta_eo": "ΔEO (equalised odds)",
    "probe": "Probe of the group",
    "probe_two_layer": "Probe of two layers",
    "probe_by_chance": "By chance",
    "spread": "Spread of z",
    "leak": "Leak, per update",
    "leak_over_rounds": "Leak, all rounds",
    "leak_by_chance": "By chance",
}

HEADINGS = {
    "network": "Network",
    "majority_users": "Users m of each other group",
    "minority_participation": "Group 0's share of rounds",
    "local_steps": "Local steps K",
    "aggregation": "Sums",
    "mechanism": "Noise",
    "given_epsilon": "ε",
    "adversary": "Adversary",
    "discriminator_rate": "Discriminator's rate",
    "discriminator": "Discriminator sees",
    "unlabelled_loss": "Loss without labels",
}


WORDS = {
    "cdan": "CDAN",
    "he": "He's initial weights",
    "product": "probabilities × z",
    "shot": "SHOT",
    "torch": "torch's initial weights",
}
"""How readers see values of the game's axes, where not as they are."""

FORMATS: dict[str, Callable[[Any], str] | str] = {
    **dict.fromkeys(("network", *GAME), lambda value: WORDS.get(value, f"{value}")),
    "mechanism": mechanism_words,
    "given_epsilon": "{:.3g}",
    "delta_eo": "{:.3f}",
    "spread": "{:.3f}",
}
"""Of axes, of columns that are no shares, and of one that papers print as a number."""


def fairness(runs: str, guarantees: str, axes: Axes) -> ResultTable:
    """Tabulate what an adversary of groups does: accuracy, equalised odds, probes, what updates
    leak.

    Each adversary is beside the same setting without one, paired by seed. Equalised odds that fall
    and a group that becomes unreadable are two findings, and where z tells no class either
    it is a third.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its runs guarantee.
        axes: the axes of a row, with their defaults.
    """
    table = fairness_rows(read_tidy(runs, axes))
    at_once = table["discriminator_start"].map({"at_once": ", from the first round"}).fillna("")
    table["discriminator"] = table["discriminator_sees"].map(lambda of: WORDS.get(of, of)) + at_once
    table["given_epsilon"] = table["setting"].map(reached(read_tidy(guarantees, axes)))
    return ResultTable(table, fairness_columns(table))


def fairness_columns(table: pd.DataFrame) -> list[Column]:
    """Return the columns in which rows differ, then what was measured."""
    differ = [
        Column(name, heading, format=FORMATS.get(name, "{}"))
        for name, heading in HEADINGS.items()
        if table[name].nunique(dropna=False) > 1
    ]
    measured = [
        column
        for name, heading in MEASURED.items()
        if name in table and table[name].notna().any()
        for column in shared.with_spread(name, heading, format=FORMATS.get(name, shared.PERCENT))
        if column.name in table
    ]
    return [*differ, *measured, Column("finding", "Finding"), *shared.SEED_COUNTS]


def fairness_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting: means and standard deviations over seeds, and what fell."""
    keys = [*FAIRNESS_AT, *NOISE, *GAME]
    table = by_setting(runs, keys, {name: name for name in MEASURED if name in runs})
    by_chance = [column for column in table if column.endswith("by_chance_spread")]
    table.insert(table.columns.get_loc("seeds"), "finding", table["setting"].map(findings(runs)))
    table = table.drop(columns=by_chance)
    return table.sort_values(keys, na_position="first", ignore_index=True)


def findings(runs: pd.DataFrame) -> dict[str, str]:
    """Return in words by setting what fell beside the runs without an adversary.

    They are those that share all else, paired by seed, by the rule of verdicts.
    """
    alone, at = runs["adversary"] == "none", [*FAIRNESS_AT, *NOISE, "unlabelled_loss", "seed"]
    changes = {"task": runs["balanced_accuracy"] - runs["accuracy_by_chance"]}
    for word, name in {"ΔEO": "delta_eo", "probe": "probe"}.items():
        if name in runs:
            changes[word] = runs[name] - of_baseline(runs, alone, at, name)
    compared = runs.assign(**changes)
    effects = {
        word: effects_by(compared, word, ["setting"]).set_index("setting")["effect"]
        for word in changes
    }
    found = {}
    for setting, adversary in runs.groupby("setting")["adversary"].first().items():
        fell = [word for word, of in effects.items() if of.get(setting) == "lowers"]
        if effects["task"].get(setting) != "raises":
            found[setting] = "the task is at chance"
        elif adversary == "none" or setting not in effects["probe"]:
            found[setting] = ""
        else:
            found[setting] = f"{' and '.join(fell)} fell" if fell else "neither is seen to fall"
    return found


# --- ecos -----------------------------------------------------------------------------------------

ECOS_COLUMNS = [
    Column("name", "Purchase rule", page=True),
    Column("purchase_allocation", "Allocation", page=True),
    Column("centroids", "Centroids R", format="{:.0f}"),
    Column("sigma", "Noise σ", format="{:g}", page=True),
    Column("score_power", "Power s", format="{:g}"),
    Column("label_source", "Labels", page=True),
    Column("purchase_purpose", "Purpose"),
    Column("purchase", "Purchase B", page=True),
    Column("bought", "Samples bought", format="{:.0f}"),
    *shared.with_spread("own_share", "Share of the own domain", page=True),
    Column("own_least", "Share of the own domain, worst seed", format=shared.PERCENT),
    Column("inherent_share", "Share of the own domain in the cloud", format=shared.PERCENT),
    Column("labelled", "Samples labelled", format="{:.0f}"),
    Column("label_accuracy", "Labels that are right", format=shared.PERCENT),
    *shared.accuracy(),
    Column("epsilon_added", "ε, sample added", format="{:.4f}", page=True),
    Column("epsilon_replaced", "ε, sample replaced", format="{:.4f}"),
    Column("uplink_bits", "Uplink", "bits", prefixed),
    shared.DOWNLINK,
    shared.FROZEN,
    *shared.SEED_COUNTS,
]


def ecos(runs: str, guarantees: str, axes: Axes) -> ResultTable:
    """Tabulate what ECOS and other choices buy of a cloud: own rows, accuracy, privacy, bits.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its runs guarantee.
        axes: those of a purchase, with their defaults.
    """
    table = purchases(read_tidy(runs, axes))
    guaranteed = read_tidy(guarantees, axes)
    for name, adjacency in (("epsilon_added", "add-remove"), ("epsilon_replaced", "replace-one")):
        epsilon = reached(guaranteed, given_mechanism="counts", adjacency=adjacency)
        table[name] = table["setting"].map(epsilon)
    table["name"] = table["purchase_rule"].map(lambda choice: CHOICES[choice][0])
    shared = table["purchase_rule"] == "ecos"
    for axis in ("purchase_allocation", "score_power", "bits"):
        table[axis] = table[axis].where(shared)
    return ResultTable(table, ECOS_COLUMNS)
