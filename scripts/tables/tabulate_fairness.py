"""Tabulate what an adversary of groups does: accuracy, equalised odds, probes, what updates leak.

Each adversary is beside the same setting without one, paired by seed. Equalised odds that fall
and a group that becomes unreadable are two findings, and where z tells no class either
it is a third.
"""

from typing import Any

import pandas as pd
from fbftl.findings.columns import DIVERGED, with_spread
from fbftl.findings.comparison import Measured, Verdict, verdict
from fbftl.findings.runs import read_tidy
from fbftl.findings.tables import Column, ResultTable

SHARE = "{:.3f}"

AT = ("network", "majority_users", "minority_participation", "local_steps", "aggregation")
"""What an adversary and the run without one have in common, with the noise."""

NOISE = ("mechanism", "sigma", "epsilon")

GAME = ("adversary", "discriminator_rate", "discriminator_sees", "unlabelled_loss")

MEASURED = {
    "balanced_accuracy": ("Accuracy, mean of groups", SHARE),
    "accuracy_1": ("Accuracy, group 1", SHARE),
    "delta_eo": ("ΔEO", SHARE),
    "probe": ("Probe", SHARE),
    "probe_two_layer": ("Probe, two layers", SHARE),
    "probe_by_chance": ("By chance", SHARE),
    "spread": ("Spread of z", SHARE),
    "leak": ("Leak, per update", SHARE),
    "leak_over_rounds": ("Leak, all rounds", SHARE),
    "leak_by_chance": ("By chance", SHARE),
}

HEADINGS = {
    "network": "Network",
    "majority_users": "m",
    "minority_participation": "Group 0's share of rounds",
    "local_steps": "K",
    "aggregation": "Sums",
    "mechanism": "Noise",
    "given_epsilon": "ε",
    "adversary": "Adversary",
    "discriminator_rate": "D's rate",
    "discriminator_sees": "D sees",
    "unlabelled_loss": "Unlabelled",
}


def main(runs: str, guarantees: str, axes: dict[str, Any]) -> ResultTable:
    """Return the table.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its runs guarantee.
        axes: the axes of a row, with their defaults.
    """
    table = rows(read_tidy(runs, axes))
    guaranteed = read_tidy(guarantees, axes).drop_duplicates("setting").set_index("setting")
    table["given_epsilon"] = table["setting"].map(guaranteed["given_epsilon"])
    return ResultTable(table, columns(table))


def columns(table: pd.DataFrame) -> list[Column]:
    """Return the columns in which rows differ, then what was measured."""
    several = {n: h for n, h in HEADINGS.items() if table[n].nunique(dropna=False) > 1}
    differ = [
        Column(n, h, format="{:.3g}" if n == "given_epsilon" else "{}") for n, h in several.items()
    ]
    measured = []
    for name, (heading, form) in MEASURED.items():
        if name in table and table[name].notna().any():
            mean, spread = with_spread(name, heading, format=form)
            measured += [mean, spread] if spread.name in table else [mean]
    return [*differ, *measured, Column("finding", "Finding"), DIVERGED]


def rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting."""
    settings = {
        name: seed_runs.set_index("seed") for name, seed_runs in runs.groupby("setting", sort=False)
    }
    table_rows = [row(seed_runs, runs) for seed_runs in settings.values()]
    keys = [*AT, *NOISE, *GAME]
    return pd.DataFrame(table_rows).sort_values(keys, na_position="first", ignore_index=True)


def row(seed_runs: pd.DataFrame, runs: pd.DataFrame) -> dict[str, Any]:
    """Return one setting's row: means and standard deviations over seeds."""
    first, means = seed_runs.iloc[0], {}
    for name in MEASURED:
        if name in seed_runs:
            means[name] = seed_runs[name].mean()
            if not name.endswith("by_chance"):
                means[f"{name}_spread"] = seed_runs[name].std()
    return (
        {name: first[name] for name in ("setting", *AT, *NOISE, *GAME)}
        | means
        | {"finding": finding(seed_runs, beside(first, runs))}
        | {"seeds": len(seed_runs), "diverged": int(seed_runs["diverged"].sum())}
    )


def beside(first: pd.Series, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs without an adversary that share all else with a setting."""
    alike = runs["adversary"] == "none"
    for axis in (*AT, *NOISE, "unlabelled_loss"):
        alike &= (runs[axis] == first[axis]) | (runs[axis].isna() & pd.isna(first[axis]))
    return runs[alike].set_index("seed")


def finding(seed_runs: pd.DataFrame, without: pd.DataFrame) -> str:
    """Return in words what fell beside the runs without an adversary, by the rule of verdicts."""
    if not lower(seed_runs["accuracy_by_chance"], seed_runs["balanced_accuracy"]):
        return "the task is at chance"
    if seed_runs["adversary"].iloc[0] == "none" or without.empty:
        return ""
    fell = {
        "ΔEO": "delta_eo" in seed_runs and lower(seed_runs["delta_eo"], without["delta_eo"]),
        "probe": lower(seed_runs["probe"], without["probe"]),
    }
    both = [name for name, fallen in fell.items() if fallen]
    return f"{' and '.join(both)} fell" if both else "neither is seen to fall"


def lower(values: pd.Series, without: pd.Series) -> bool:
    """Tell whether a measure is lower, paired by seed."""
    change = (without - values).dropna()
    return len(change) > 0 and verdict(Measured.of(list(change))) is Verdict.REPRODUCED
