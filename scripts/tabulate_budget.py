"""Tabulate noisy descent by rows, steps and schedule: loss, accuracy, epsilon, ratio to even noise.

Each schedule stands beside uniform noise of the same budget, rows, steps and momentum, paired by
seed. The ratio is of training losses: that is what a schedule is made for.
"""

import math
from typing import Any

import numpy as np
import pandas as pd
from fbftl.findings.comparison import Measured, effect
from fbftl.findings.runs import read_tidy
from fbftl.findings.tables import Column, write_table
from fbftl.ground.logs import run_job

PERCENT = "{:.1%}"

AT = ["seen", "steps", "mechanism", "accountant", "momentum"]
"""What a schedule and the uniform one beside it have in common, with epsilon."""

COLUMNS = [
    Column("seen", "N", "rows", "{:.0f}"),
    Column("steps", "T", "steps", "{:.0f}"),
    Column("schedule", "schedule"),
    Column("decay", "decay a", format="{:g}"),
    Column("momentum", "β", format="{:g}"),
    Column("loss", "training loss", "nats", "{:.4f}"),
    Column("loss_spread", "±", format="{:.4f}"),
    Column("ratio", "loss / uniform's", format="{:.3f}"),
    Column("gain", "seeds that gain", format=PERCENT),
    Column("effect", "schedule … loss"),
    Column("accuracy", "accuracy", format=PERCENT),
    Column("accuracy_spread", "±", format=PERCENT),
    Column("accountant", "noise by"),
    Column("sigma", "least σ", "G/N", "{:.3g}"),
    Column("epsilon_zcdp", "ε by zCDP", format="{:.3f}"),
    Column("epsilon_exact", "ε exact, row removed", format="{:.3f}"),
    Column("epsilon_replaced", "ε exact, row replaced", format="{:.3f}"),
    Column("seeds", "seeds"),
    Column("diverged", "diverged", "seeds"),
]

NO_NOISE = "no noise"


def main(runs: str, guarantees: str, csv: str, axes: dict[str, Any]) -> None:
    """Write the table; md and tex go beside the csv.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its runs guarantee.
        csv: the table to write.
        axes: the axes of a row, with their defaults.
    """
    given = read_tidy(guarantees, axes)
    write_table(csv, rows(read_tidy(runs, axes), given), COLUMNS)


def rows(runs: pd.DataFrame, guarantees: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting, by rows, steps, momentum and schedule."""
    settings = {name: own.set_index("seed") for name, own in runs.groupby("setting", sort=False)}
    made = [row(own, runs, guarantees) for own in settings.values()]
    table = pd.DataFrame(made)
    keys = ["seen", "steps", "momentum", "accountant", "schedule", "decay"]
    return table.sort_values(keys, na_position="first", ignore_index=True)


def row(own: pd.DataFrame, runs: pd.DataFrame, guarantees: pd.DataFrame) -> dict[str, Any]:
    """Return one setting's row."""
    first = own.iloc[0]
    noisy = first["mechanism"] != "none"
    loss, accuracy = own["training_loss"], own["test_accuracy"]
    return (
        {name: first[name] for name in ("setting", *AT)}
        | {"epsilon": first["epsilon"]}
        | {"schedule": first["schedule"] if noisy else NO_NOISE}
        | {"decay": first["decay"] if first["schedule"] != "uniform" else None}
        | {"accountant": first["accountant"] if noisy else None}
        | {"loss": loss.mean(), "loss_spread": loss.std()}
        | {"accuracy": accuracy.mean(), "accuracy_spread": accuracy.std()}
        | {"seeds": len(own), "diverged": int(own["diverged"].sum())}
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


def reached(given: pd.DataFrame) -> dict[str, float]:
    """Return a setting's least noise, and the epsilons that it guarantees."""

    def epsilon(accountant: str, adjacency: str) -> float:
        match = (given["given_accountant"] == accountant) & (given["adjacency"] == adjacency)
        return given.loc[match, "given_epsilon"].iloc[0] if match.any() else math.nan

    return {
        "sigma": given["given_sigma"].iloc[0],
        "epsilon_zcdp": epsilon("zCDP", "add-remove"),
        "epsilon_exact": epsilon("exact Gaussian", "add-remove"),
        "epsilon_replaced": epsilon("exact Gaussian", "replace-one"),
    }


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(job.input.runs, job.input.guarantees, job.output.csv, job.params.axes),
    )
