"""Tabulate noisy descent by rows, steps and schedule: loss, accuracy, epsilon, ratio to even noise.

Each schedule is beside uniform noise of the same budget, rows, steps and momentum, paired by
seed. The ratio is of training losses: that is what a schedule is made for.
"""

import math
from typing import Any

import numpy as np
import pandas as pd
from fbftl.findings.columns import PERCENT, SEED_COUNTS, with_spread
from fbftl.findings.comparison import Measured, effect
from fbftl.findings.runs import read_tidy
from fbftl.findings.tables import Column, ResultTable

AT = ["seen", "descent_steps", "mechanism", "accountant", "descent_momentum"]
"""What a schedule and the uniform one beside it have in common, with epsilon."""

COLUMNS = [
    Column("seen", "N", "rows", "{:.0f}", page=True),
    Column("descent_steps", "T", "descent_steps", "{:.0f}", page=True),
    Column("schedule", "Schedule", page=True),
    Column("decay", "Decay a", format="{:g}"),
    Column("descent_momentum", "β", format="{:g}"),
    *with_spread("loss", "Training loss", "nats", "{:.4f}", page=True),
    Column("ratio", "Loss / uniform's", format="{:.3f}", page=True),
    Column("gain", "Seeds that gain", format=PERCENT),
    Column("effect", "Schedule … loss", page=True),
    *with_spread("accuracy", "Accuracy"),
    Column("accountant", "Accountant"),
    Column("sigma", "Least σ", "G/N", "{:.3g}", page=True),
    Column("epsilon_zcdp", "ε by zCDP", format="{:.3f}"),
    Column("epsilon_exact", "ε exact, row removed", format="{:.3f}", page=True),
    Column("epsilon_replaced", "ε exact, row replaced", format="{:.3f}"),
    *SEED_COUNTS,
]

NO_NOISE = "no noise"


def main(runs: str, guarantees: str, axes: dict[str, Any]) -> ResultTable:
    """Return the table.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its runs guarantee.
        axes: the axes of a row, with their defaults.
    """
    guaranteed = read_tidy(guarantees, axes)
    return ResultTable(rows(read_tidy(runs, axes), guaranteed), COLUMNS)


def rows(runs: pd.DataFrame, guarantees: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting, by rows, steps, momentum and schedule."""
    settings = {
        name: seed_runs.set_index("seed") for name, seed_runs in runs.groupby("setting", sort=False)
    }
    table_rows = [row(seed_runs, runs, guarantees) for seed_runs in settings.values()]
    table = pd.DataFrame(table_rows)
    keys = ["seen", "descent_steps", "descent_momentum", "accountant", "schedule", "decay"]
    return table.sort_values(keys, na_position="first", ignore_index=True)


def row(seed_runs: pd.DataFrame, runs: pd.DataFrame, guarantees: pd.DataFrame) -> dict[str, Any]:
    """Return one setting's row."""
    first = seed_runs.iloc[0]
    noisy = first["mechanism"] != "none"
    loss, accuracy = seed_runs["training_loss"], seed_runs["test_accuracy"]
    return (
        {name: first[name] for name in ("setting", *AT)}
        | {"epsilon": first["epsilon"]}
        | {"schedule": first["schedule"] if noisy else NO_NOISE}
        | {"decay": first["decay"] if first["schedule"] != "uniform" else None}
        | {"accountant": first["accountant"] if noisy else None}
        | {"loss": loss.mean(), "loss_spread": loss.std()}
        | {"accuracy": accuracy.mean(), "accuracy_spread": accuracy.std()}
        | {"seeds": len(seed_runs), "diverged": int(seed_runs["diverged"].sum())}
        | beside_uniform(first, loss, runs)
        | reached(guarantees[guarantees["setting"] == first["setting"]])
    )


def beside_uniform(first: pd.Series, loss: pd.Series, runs: pd.DataFrame) -> dict[str, Any]:
    """Return what a schedule gains over uniform noise of the same budget, seed by seed."""
    nothing = {"ratio": math.nan, "gain": math.nan, "effect": None}
    if first["schedule"] == "uniform":
        return nothing
    alike = (runs[AT] == first[AT]).all(axis=1) & (runs["epsilon"] == first["epsilon"])
    uniform = runs[alike & (runs["schedule"] == "uniform")].set_index("seed")["training_loss"]
    change = (np.log(loss) - np.log(uniform)).dropna()
    if change.empty:
        return nothing
    return {
        "ratio": float(loss.mean() / uniform.mean()),
        "gain": float((change < 0).mean()),
        "effect": effect(Measured.of(list(change))),
    }


def reached(guarantees: pd.DataFrame) -> dict[str, float]:
    """Return a setting's least noise, and the epsilons that it guarantees."""

    def epsilon(accountant: str, adjacency: str) -> float:
        match = (guarantees["given_accountant"] == accountant) & (
            guarantees["adjacency"] == adjacency
        )
        return guarantees.loc[match, "given_epsilon"].iloc[0] if match.any() else math.nan

    return {
        "sigma": guarantees["given_sigma"].iloc[0],
        "epsilon_zcdp": epsilon("zCDP", "add-remove"),
        "epsilon_exact": epsilon("exact Gaussian", "add-remove"),
        "epsilon_replaced": epsilon("exact Gaussian", "replace-one"),
    }
