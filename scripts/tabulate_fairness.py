"""Tabulate what an adversary of groups does: accuracy, equalised odds, probes, what updates leak.

Each adversary stands beside the same setting without one, paired by seed. Equalised odds that fall
and a group that becomes unreadable are two findings, and where z says nothing of the class either
it is a third.
"""

from typing import Any

import pandas as pd
from fbftl.findings.comparison import Measured, Verdict, verdict
from fbftl.findings.runs import read_tidy
from fbftl.findings.tables import Column, write_table
from fbftl.ground.logs import run_job

SHARE = "{:.3f}"

AT = ("network", "majority_users", "participation", "local_steps", "aggregation")
"""What an adversary and the run without one have in common, with the noise."""

NOISE = ("mechanism", "sigma", "epsilon")

GAME = ("adversary", "discriminator_rate", "discriminator_sees", "unlabelled_loss")

MEASURED = {
    "balanced_accuracy": ("Accuracy, mean of groups", SHARE),
    "accuracy_1": ("Accuracy, group 1", SHARE),
    "delta_eo": ("ΔEO", SHARE),
    "probe": ("Probe", SHARE),
    "probe_two_layer": ("Probe, two layers", SHARE),
    "probe_by_chance": ("by chance", SHARE),
    "spread": ("Spread of z", SHARE),
    "leak": ("Leak, per update", SHARE),
    "leak_over_rounds": ("Leak, all rounds", SHARE),
    "leak_by_chance": ("by chance", SHARE),
}

HEADINGS = {
    "network": "Network",
    "majority_users": "m",
    "participation": "Group 0's share of rounds",
    "local_steps": "K",
    "aggregation": "Sums",
    "mechanism": "Noise",
    "given_epsilon": "ε",
    "adversary": "Adversary",
    "discriminator_rate": "D's rate",
    "discriminator_sees": "D sees",
    "unlabelled_loss": "Unlabelled",
}


def main(runs: str, guarantees: str, csv: str, axes: dict[str, Any]) -> None:
    """Write the table; md, tex and html go beside the csv.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its runs guarantee.
        csv: the table to write.
        axes: the axes of a row, with their defaults.
    """
    table = rows(read_tidy(runs, axes))
    given = read_tidy(guarantees, axes).drop_duplicates("setting").set_index("setting")
    table["given_epsilon"] = table["setting"].map(given["given_epsilon"])
    write_table(csv, table, columns(table))


def columns(table: pd.DataFrame) -> list[Column]:
    """Return the columns in which rows differ, then what was measured."""
    several = {n: h for n, h in HEADINGS.items() if table[n].nunique(dropna=False) > 1}
    differ = [
        Column(n, h, format="{:.3g}" if n == "given_epsilon" else "{}") for n, h in several.items()
    ]
    found = []
    for name, (heading, form) in MEASURED.items():
        if name in table and table[name].notna().any():
            found += [Column(name, heading, format=form)]
            if f"{name}_spread" in table:
                found.append(Column(f"{name}_spread", "±", format=form))
    return [*differ, *found, Column("finding", "Finding"), Column("diverged", "Diverged")]


def rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting."""
    settings = {name: own.set_index("seed") for name, own in runs.groupby("setting", sort=False)}
    made = [row(own, runs) for own in settings.values()]
    keys = [*AT, *NOISE, *GAME]
    return pd.DataFrame(made).sort_values(keys, na_position="first", ignore_index=True)


def row(own: pd.DataFrame, runs: pd.DataFrame) -> dict[str, Any]:
    """Return one setting's row: means and standard deviations over seeds."""
    first, found = own.iloc[0], {}
    for name in MEASURED:
        if name in own:
            found[name] = own[name].mean()
            if not name.endswith("by_chance"):
                found[f"{name}_spread"] = own[name].std()
    return (
        {name: first[name] for name in ("setting", *AT, *NOISE, *GAME)}
        | found
        | {"finding": finding(own, beside(first, runs))}
        | {"seeds": len(own), "diverged": int(own["diverged"].sum())}
    )


def beside(first: pd.Series, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs without an adversary that share all else with a setting."""
    alike = runs["adversary"] == "none"
    for axis in (*AT, *NOISE, "unlabelled_loss"):
        alike &= (runs[axis] == first[axis]) | (runs[axis].isna() & pd.isna(first[axis]))
    return runs[alike].set_index("seed")


def finding(own: pd.DataFrame, without: pd.DataFrame) -> str:
    """Return in words what fell beside the runs without an adversary, by the rule for claims."""
    if not lower(own["accuracy_by_chance"], own["balanced_accuracy"]):
        return "the task is at chance"
    if own["adversary"].iloc[0] == "none" or without.empty:
        return ""
    fell = {
        "ΔEO": "delta_eo" in own and lower(own["delta_eo"], without["delta_eo"]),
        "probe": lower(own["probe"], without["probe"]),
    }
    both = [name for name, fallen in fell.items() if fallen]
    return f"{' and '.join(both)} fell" if both else "neither is seen to fall"


def lower(own: pd.Series, without: pd.Series) -> bool:
    """Tell whether a measure is lower, paired by seed."""
    change = (without - own).dropna()
    return len(change) > 0 and verdict(Measured.of(list(change))) is Verdict.REPRODUCED


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(job.input.runs, job.input.guarantees, job.output.csv, job.params.axes),
    )
