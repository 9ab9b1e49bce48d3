"""Tabulate accuracy against data fraction and packet loss rate under both loss semantics.

Beside them stands what the paper plots for all samples of its own task (Fig. 8). Where the
experiment varies methods or further axes, each has rows of its own.
"""

from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.comparison import Measured, effect
from fbftl.findings.printed import beside, judged
from fbftl.findings.runs import read_tidy, settings_in, varying
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.setups import Setup, differs
from fbftl.findings.tables import Column, write_table
from fbftl.ground.logs import run_job

AXES = ("fraction", "plr", "loss")
"""What the experiment is about."""

PERCENT = "{:.1%}"

COLUMNS = [
    Column("fraction", "clients", format="{:g}"),
    Column("plr", "PLR", format="{:g}"),
    Column("offered", "sent", "samples", "{:.0f}"),
    Column("received", "received", "samples", "{:.0f}"),
    Column("accuracy", "lost for good", format=PERCENT),
    Column("spread", "±", format=PERCENT),
    Column("accuracy_reshuffled", "reshuffled", format=PERCENT),
    Column("spread_reshuffled", "±", format=PERCENT),
    Column("seen_reshuffled", "seen when reshuffled", "samples", "{:.0f}"),
    Column("difference", "difference", format="{:+.1%}"),
    Column("effect", "reshuffling"),
    Column("seeds", "seeds"),
    Column("diverged", "diverged"),
    Column("diverged_reshuffled", "diverged when reshuffled", format="{:.0f}"),
    Column("published", "paper, CIFAR-10", format=PERCENT),
    Column("verdict", "verdict"),
    Column("reason", "not comparable for"),
]


def main(runs: str, fig8: str, setups: str, csv: str, axes: dict[str, Any], setup: Setup) -> None:
    """Write the table; the other formats go beside the csv.

    Args:
        runs: an experiment's tidy table.
        fig8: the published points.
        setups: the published setups.
        csv: path of the csv.
        axes: those of scarcity, with their defaults.
        setup: the task's.
    """
    reason = differs(setup, setups, "cifar10")
    read = read_tidy(runs, axes)
    beside_loss = varying(read, AXES)
    table = with_published(side_by_side(read), published.read(fig8), reason)
    further = [Column(axis, axis.replace("_", " ")) for axis in beside_loss]
    write_table(csv, table.drop(columns="printed_for"), [*further, *COLUMNS])


def side_by_side(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per fraction, packet loss rate and value of the further axes that vary.

    The difference is the accuracy that the public script's reshuffling adds to a loss that is
    for good (audit row A2). `printed_for` tells which rows are of FbFTL as the paper plots it.
    """
    keys = [*varying(runs, AXES), "fraction", "plr"]
    table = mean_and_spread(runs, [*keys, "loss"])
    lost = table[table["loss"] == "persistent"].drop(columns="loss")
    compared = [*keys, "accuracy", "spread", "seen", "diverged"]
    shuffled = table[table["loss"] == "reshuffled"][compared]
    both = lost.merge(shuffled, on=keys, how="outer", suffixes=("", "_reshuffled"))
    both["difference"] = both["accuracy_reshuffled"] - both["accuracy"]
    both = both.merge(effects(runs, keys), on=keys, how="left")
    both = both.merge(_printed_for(runs, keys), on=keys, how="left")
    return both.sort_values(keys, ascending=[axis != "fraction" for axis in keys])


def _printed_for(runs: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return, by key, whether a row's setting is FbFTL that deviates in nothing but these axes."""
    plain = [
        setting.keys() <= {"method", *AXES} and setting["method"] == "fbftl"
        for setting in map(settings_in(runs).__getitem__, runs["setting"])
    ]
    by_key = runs.assign(printed_for=plain).groupby(keys, dropna=False)["printed_for"]
    return by_key.all().reset_index()


def effects(runs: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return what reshuffling does to accuracy, paired by seed, per key."""
    by_loss = {loss: own.set_index([*keys, "seed"]) for loss, own in runs.groupby("loss")}
    if not by_loss.keys() >= {"persistent", "reshuffled"}:
        return pd.DataFrame(columns=[*keys, "effect"])
    accuracy = {loss: own["test_accuracy"] for loss, own in by_loss.items()}
    paired = (accuracy["reshuffled"] - accuracy["persistent"]).dropna()
    return (
        paired.groupby(keys, dropna=False)
        .agg(lambda by_seed: effect(Measured.of(list(by_seed))))
        .rename("effect")
        .reset_index()
    )


def with_published(table: pd.DataFrame, fig8: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Return the table with the plotted points of Fig. 8 where all samples take part, judged.

    The paper's curves for fewer samples are the tail of the same sweep (audit row A25), so they
    are no points of their own.
    """
    points = fig8[fig8["series"] == "plotted"].assign(fraction=1.0, printed_for=True)
    return judged(beside(table, points, ["fraction", "plr", "printed_for"]), reason)


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.input.runs,
            job.input.fig8,
            job.input.setups,
            job.output.csv,
            job.params.axes,
            job.params.setup,
        ),
    )
