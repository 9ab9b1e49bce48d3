"""Tabulate FedAvg, FedFeat+ and CCVR by network and partition (paper fedfeat, Tables II and III).

What a method gains over FedAvg is taken seed by seed at the last round. The paper prints the best
round by test accuracy, so its numbers are beside ours of that kind.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.columns import METHOD, SEED_COUNTS, accuracy, judged_against, with_spread
from fbftl.findings.comparison import Measured, effect
from fbftl.findings.printed import beside, judged
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.setups import Setup, differs
from fbftl.findings.shown import labelled
from fbftl.findings.tables import Column, ResultTable

PAPER = "fedfeat"
AT = ["network", "partition"]
SETTING = [*AT, "method", "features_from", "server_epochs"]
PARTITIONS = {"iid": "iid", "shards": "non-iid"}
"""Partitions here, and what the paper calls them."""

COLUMNS = [
    Column("network", "Network", page=True),
    Column("partition", "Partition", page=True),
    METHOD,
    Column("features_from", "Features of", page=True),
    Column("server_epochs", "Server epochs", format="{:.0f}"),
    *accuracy(),
    *with_spread("gain", "Over FedAvg", format="{:+.1%}", page=True),
    Column("effect", "Effect", page=True),
    *with_spread("best", "Best round"),
    *SEED_COUNTS,
    *judged_against("best round"),
]


def main(
    runs: str, printed: str, setups: str, axes: dict[str, Any], setup: Setup,
    backbones: Mapping[str, str], clients: int, methods: list[dict[str, Any]],
) -> ResultTable:  # fmt: skip
    """Return the table.

    Args:
        runs: tidy table of the experiment.
        printed: Tables II to V.
        setups: the published setups.
        axes: those of a row, with their defaults.
        setup: the task's.
        backbones: which backbone of the paper each network is, by its name.
        clients: of a round.
        methods: those of the experiment.
    """
    tables = published.read(printed)
    is_printed = setup["task"] in set(tables["dataset"])
    dataset = setup["task"] if is_printed else "cifar10"
    reasons = {
        name: differs({**setup, "backbone": backbone}, setups, dataset, PAPER)
        for name, backbone in backbones.items()
    }
    table = rows(read_tidy(runs, axes))
    numbers = accuracies(tables, dataset, clients)
    table = with_published(labelled(table, methods), numbers, reasons)
    return ResultTable(table, COLUMNS)


def rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting: accuracy at the last and at the best round, and the gain."""
    runs = runs.assign(network=runs["network"].fillna(""), partition=runs["partition"].fillna(""))
    table = mean_and_spread(runs, SETTING)
    best = mean_and_spread(runs, SETTING, score="test_accuracy_best", name="best")
    best = best.rename(columns={"spread": "best_spread"})[[*SETTING, "best", "best_spread"]]
    return table.merge(best, on=SETTING).merge(gains(runs), on=SETTING, how="left")


def gains(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what each setting gains over FedAvg with the same network and clients, by seed."""
    plain = runs[runs["method"] == "fedavg"].set_index([*AT, "seed"])["test_accuracy"]
    other = runs[runs["method"] != "fedavg"]
    against = pd.MultiIndex.from_frame(other[[*AT, "seed"]])
    gained = other["test_accuracy"] - plain.reindex(against).to_numpy()
    by_setting = other.assign(gained=gained).dropna(subset="gained").groupby(SETTING)["gained"]
    gain_rows = [
        dict(zip(SETTING, key, strict=True))
        | {"gain": measured.mean, "gain_spread": measured.spread, "effect": effect(measured)}
        for key, values in by_setting
        for measured in [Measured.of(list(values))]
    ]
    return pd.DataFrame(gain_rows, columns=[*SETTING, "gain", "gain_spread", "effect"])


def accuracies(tables: pd.DataFrame, dataset: str, clients: int) -> pd.DataFrame:
    """Return what Tables II and III print on a data set, named as settings are."""
    of = tables["table"].isin(["II", "III"]) & (tables["dataset"] == dataset)
    here = {paper: partition for partition, paper in PARTITIONS.items()}
    names = {"FedAvg": "fedavg", "FedFeat+": "fedfeat"}
    cells = tables[of & (tables["clients"] == clients)]
    return cells.assign(
        network=cells["backbone"],
        partition=cells["partition"].map(here),
        method=cells["method"].map(names),
    )


def with_published(
    table: pd.DataFrame, numbers: pd.DataFrame, reasons: Mapping[str, str]
) -> pd.DataFrame:
    """Return the table with the printed best rounds beside it, judged, each network by its own."""
    placed = beside(table, numbers, [*AT, "method"])
    # Only the paper's own reading has a number: features of the last epoch, some retraining.
    has_number = (placed["features_from"] == "last_epoch") & (placed["server_epochs"] > 0)
    placed.loc[~has_number, ["printed", "printed_unit"]] = None
    last = placed.rename(
        columns={"accuracy": "last", "spread": "last_spread"} | {"best": "accuracy"}
    ).rename(columns={"best_spread": "spread"})
    parts = [judged(part, reasons.get(name, "")) for name, part in last.groupby("network")]
    done = pd.concat(parts).rename(columns={"accuracy": "best", "spread": "best_spread"})
    done = done.rename(columns={"last": "accuracy", "last_spread": "spread"})
    done = done.sort_values(SETTING, kind="stable")
    done["features_from"] = done["features_from"].where(done["method"] == "fedfeat", "")
    done["server_epochs"] = done["server_epochs"].where(done["method"] != "fedavg")
    return done
