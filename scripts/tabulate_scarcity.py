"""Tabulate accuracy against data fraction and packet loss rate under both loss semantics.

Beside them stands what the paper plots for all samples of its own task (Fig. 8).
"""

from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.comparison import Measured, effect
from fbftl.findings.printed import beside, judged
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.setups import Setup, differs
from fbftl.findings.tables import Column, write_table
from fbftl.ground.logs import run_job

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
    table = with_published(side_by_side(read_tidy(runs, axes)), published.read(fig8), reason)
    write_table(csv, table, COLUMNS)


def side_by_side(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per fraction and packet loss rate.

    The difference is the accuracy that the public script's reshuffling adds to a loss that is
    for good (audit row A2).
    """
    keys = ["fraction", "plr"]
    table = mean_and_spread(runs, [*keys, "loss"])
    lost = table[table["loss"] == "persistent"].drop(columns="loss")
    own = [*keys, "accuracy", "spread", "seen", "diverged"]
    shuffled = table[table["loss"] == "reshuffled"][own]
    both = lost.merge(shuffled, on=keys, how="left", suffixes=("", "_reshuffled"))
    both["difference"] = both["accuracy_reshuffled"] - both["accuracy"]
    both = both.merge(effects(runs, keys), on=keys, how="left")
    return both.sort_values(keys, ascending=[False, True])


def effects(runs: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return what reshuffling does to accuracy, paired by seed, per fraction and loss rate."""
    by_loss = runs.pivot(index=[*keys, "seed"], columns="loss", values="test_accuracy")
    if "reshuffled" not in by_loss:
        return pd.DataFrame(columns=[*keys, "effect"])
    paired = (by_loss["reshuffled"] - by_loss["persistent"]).dropna().groupby(keys)
    return (
        paired.agg(lambda by_seed: effect(Measured.of(list(by_seed))))
        .rename("effect")
        .reset_index()
    )


def with_published(table: pd.DataFrame, fig8: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Return the table with the plotted points of Fig. 8 where all samples take part, judged.

    The paper's curves for fewer samples are the tail of the same sweep (audit row A25), so they
    are no points of their own.
    """
    points = fig8[fig8["series"] == "plotted"].assign(fraction=1.0)
    return judged(beside(table, points, ["fraction", "plr"]), reason)


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
