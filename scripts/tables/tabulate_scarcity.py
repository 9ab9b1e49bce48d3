"""Tabulate accuracy against data fraction and packet loss rate under both loss semantics.

Beside them is what the paper plots for all samples of its own task (Fig. 8). Where the
experiment varies methods or further axes, each has rows of its own. What always answering the most
frequent class scores is given beside all.
"""

from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.columns import (
    PERCENT,
    SEED_COUNTS,
    TEST_SET,
    UNDERTRAINED,
    accuracy,
    heading_of,
    judged_against,
    undertrained,
    with_spread,
)
from fbftl.findings.comparison import Measured, effect
from fbftl.findings.majority import MAJORITY, majority_share
from fbftl.findings.printed import beside, judged
from fbftl.findings.runs import read_tidy, settings_in, varying
from fbftl.findings.sampling_error import error_of, error_of_difference, size_of_test_set
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.setups import Setup, differs
from fbftl.findings.tables import Column, ResultTable

AXES = ("fraction", "plr", "loss")
"""What the experiment is about."""

COLUMNS = [
    Column("fraction", "Clients", format="{:g}", page=True),
    Column("plr", "PLR", format="{:g}", page=True),
    Column("offered", "Sent", "samples", "{:.0f}"),
    Column("received", "Received", "samples", "{:.0f}", page=True),
    *accuracy("Lost for good"),
    UNDERTRAINED,
    TEST_SET,
    *with_spread("accuracy_reshuffled", "Reshuffled", spread="spread_reshuffled", page=True),
    Column("seen_reshuffled", "Seen when reshuffled", "samples", "{:.0f}"),
    Column("difference", "Difference", format="{:+.1%}", page=True),
    Column("test_set_error_of_difference", "Test set ± of it, at most", format=PERCENT),
    Column("effect", "Reshuffling", page=True),
    MAJORITY,
    *SEED_COUNTS,
    Column("diverged_reshuffled", "Diverged when reshuffled", format="{:.0f}"),
    *judged_against("CIFAR-10"),
]


def main(
    runs: str, clients: str, fig8: str, setups: str, axes: dict[str, Any], setup: Setup
) -> ResultTable:
    """Return the table.

    Args:
        runs: an experiment's tidy table.
        clients: the task's client file.
        fig8: the published points.
        setups: the published setups.
        axes: those of scarcity, with their defaults.
        setup: the task's.
    """
    reason = differs(setup, setups, "cifar10")
    read = read_tidy(runs, axes)
    beside_loss = varying(read, AXES)
    table = with_published(side_by_side(read), published.read(fig8), reason)
    table = with_test_set(table, size_of_test_set(clients))
    table = table.assign(majority=majority_share(clients))
    further = [Column(axis, heading_of(axis)) for axis in beside_loss]
    return ResultTable(table.drop(columns="printed_for"), [*further, *COLUMNS])


def side_by_side(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per fraction, packet loss rate and value of the further axes that vary.

    The difference is the accuracy that the public script's reshuffling adds to a loss that is
    for good (audit row A2). `printed_for` tells which rows are of FbFTL as the paper plots it.
    """
    keys = [*varying(runs, AXES), "fraction", "plr"]
    table = mean_and_spread(runs, [*keys, "loss"])
    lost = table[table["loss"] == "persistent"].drop(columns="loss")
    compared = [*keys, "accuracy", "spread", "seen", "seeds", "diverged"]
    shuffled = table[table["loss"] == "reshuffled"][compared]
    both = lost.merge(shuffled, on=keys, how="outer", suffixes=("", "_reshuffled"))
    ridge = both.get("ridge_accuracy", [None] * len(both))
    both["undertrained"] = list(map(undertrained, both["accuracy"], ridge))
    both["seeds"] = both["seeds"].fillna(both.pop("seeds_reshuffled"))
    both["difference"] = both["accuracy_reshuffled"] - both["accuracy"]
    both = both.merge(effects(runs, keys), on=keys, how="left")
    both = both.merge(_printed_for(runs, keys), on=keys, how="left")
    return both.sort_values(keys, ascending=[axis != "fraction" for axis in keys])


def with_test_set(table: pd.DataFrame, samples: int) -> pd.DataFrame:
    """Return the table with the test set's error of accuracies, and the most of differences."""
    lost, shuffled = table["accuracy"], table["accuracy_reshuffled"]
    return table.assign(
        test_set_error=error_of(lost, samples),
        test_set_error_of_difference=error_of_difference(shuffled, lost, samples),
    )


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
    by_loss = {loss: of_loss.set_index([*keys, "seed"]) for loss, of_loss in runs.groupby("loss")}
    if not by_loss.keys() >= {"persistent", "reshuffled"}:
        return pd.DataFrame(columns=[*keys, "effect"])
    accuracy = {loss: of_loss["test_accuracy"] for loss, of_loss in by_loss.items()}
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
