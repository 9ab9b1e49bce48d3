"""Tables of paper fedfeat: FedAvg, FedFeat+ and CCVR, noise on features, what clients send.

Each function returns one.
"""

from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings import tables as shared
from fbftl.findings.published import Setup, beside, differs, effects_by, judged
from fbftl.findings.runs import mean_and_spread, of_baseline, read_tidy
from fbftl.findings.shown import labelled
from fbftl.findings.steps import Axes, Methods
from fbftl.findings.tables import Column, ResultTable
from fbftl.findings.wording import dealt_words, words
from fbftl.ground.floats import FLOAT_BITS
from fbftl.papers.fedfeat.backbones import DATASETS, TABLE_I, round_weight
from fbftl.papers.record import PaperRecord
from fbftl.privacy.accounting import gaussian_epsilon
from fbftl.privacy.feature_noise import epsilon_at_stated_sensitivity

# --- retraining -----------------------------------------------------------------------------------


TRAINED_BY = ["network", "partition"]
RETRAINED_BY = [*TRAINED_BY, "method", "features_from", "server_epochs"]
PARTITIONS = {"iid": "iid", "shards": "non-iid"}
"""Partitions here, and what the paper calls them."""

RETRAINING_COLUMNS = [
    Column("network", "Network", format=partial(words, "network"), page=True),
    Column("partition", "Label distribution", format=dealt_words, page=True),
    shared.METHOD,
    Column("features_from", "Features of", format=lambda name: name.replace("_", " "), page=True),
    Column("server_epochs", "Server epochs", format="{:.0f}"),
    *shared.accuracy(),
    *shared.difference("gain", "Over FedAvg"),
    Column("effect", "Effect", page=True),
    *shared.with_spread("best", "Best round"),
    *shared.SEED_COUNTS,
    *shared.judged_against("best round"),
]


def retraining(
    runs: str, printed: str, setups: str, axes: Axes, setup: Setup,
    backbones: Mapping[str, str], clients: int, methods: Methods,
) -> ResultTable:  # fmt: skip
    """Tabulate FedAvg, FedFeat+ and CCVR by network and partition (paper fedfeat, Tables II and
    III).

    What a method gains over FedAvg is taken seed by seed at the last round. The paper prints the
    best round by test accuracy, so its numbers are beside ours of that kind.

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
    dataset = setup["task"] if setup["task"] in set(tables["dataset"]) else "cifar10"
    reasons = {
        name: differs({**setup, "backbone": backbone}, setups, dataset, "fedfeat")
        for name, backbone in backbones.items()
    }
    table = labelled(retraining_rows(read_tidy(runs, axes)), methods)
    numbers = accuracies(tables, dataset, clients)
    return ResultTable(beside_best_rounds(table, numbers, reasons), RETRAINING_COLUMNS)


def retraining_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting: accuracy at the last and at the best round, and the gain."""
    runs = runs.assign(network=runs["network"].fillna(""), partition=runs["partition"].fillna(""))
    best = runs.groupby(RETRAINED_BY, dropna=False)["test_accuracy_best"]
    best = best.agg(best="mean", best_spread="std").reset_index()
    table = mean_and_spread(runs, RETRAINED_BY).merge(best, on=RETRAINED_BY)
    # What each setting gains over FedAvg with the same network and clients, by seed.
    plain = of_baseline(runs, runs["method"] == "fedavg", [*TRAINED_BY, "seed"], "test_accuracy")
    other = runs.assign(gain=runs["test_accuracy"] - plain)[runs["method"] != "fedavg"]
    return table.merge(effects_by(other, "gain", RETRAINED_BY), on=RETRAINED_BY, how="left")


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


def beside_best_rounds(
    table: pd.DataFrame, numbers: pd.DataFrame, reasons: Mapping[str, str]
) -> pd.DataFrame:
    """Return the table with the printed best rounds beside it, judged, each network by its own."""
    placed = beside(table, numbers, [*TRAINED_BY, "method"])
    # Only the paper's own reading has a number: features of the last epoch, some retraining.
    has_number = (placed["features_from"] == "last_epoch") & (placed["server_epochs"] > 0)
    placed.loc[~has_number, ["printed", "printed_unit"]] = None
    parts = [
        judged(part, reasons.get(name, ""), "best", "best_spread")
        for name, part in placed.groupby("network")
    ]
    done = pd.concat(parts).sort_values(RETRAINED_BY, kind="stable")
    done["features_from"] = done["features_from"].where(done["method"] == "fedfeat", "")
    done["server_epochs"] = done["server_epochs"].where(done["method"] != "fedavg")
    return done


# --- feature noise --------------------------------------------------------------------------------

NATS = "{:.4f}"
NOISED_BY = ["mechanism", "feature_clip", "epsilon"]
METRICS = (
    Column("mutual_information", "MI", "nats", NATS, page=True),
    Column("entropy_difference", "ED", "nats", NATS),
    Column("kl_divergence", "KL", "nats", NATS),
    Column("feature_correlation", "FC", format=NATS, page=True),
)
"""The paper's."""

PRINTED = ["accuracy", *(column.name for column in METRICS)]
MEASURED = [*PRINTED[1:], "feature_std", "feature_norm"]

FEATURE_NOISE_COLUMNS = [
    Column("mechanism", "Noise", page=True),
    Column("epsilon", "ε asked for", format="{:g}", page=True),
    Column("feature_clip", "Clip norm", format="{:g}"),
    Column("noise_std", "Noise std", format="{:.3g}", page=True),
    *shared.accuracy(),
    *METRICS,
    Column("feature_std", "Feature std", format="{:.3g}"),
    Column("feature_norm", "Feature norm", format="{:.3g}"),
    Column("epsilon_once", "ε of one release", format="{:.3g}"),
    Column("epsilon_rounds", "ε of all rounds", format="{:.3g}", page=True),
    Column("holds", "Holds", page=True),
    *shared.SEED_COUNTS,
    Column("printed_accuracy", "Published, CIFAR-10: accuracy", format=shared.PERCENT),
    *(Column(f"printed_{metric.name}", metric.heading, format=NATS) for metric in METRICS),
]


def feature_noise(
    runs: str, guarantees: str, printed: str, axes: Axes, delta: float, rounds: int
) -> ResultTable:
    """Tabulate noise on features: accuracy, the paper's metrics, what it guarantees (Tables IV and
    V).

    Beside the noise as printed are the same noise on clipped features, and noise that holds. The
    metrics are of the last round; how large the features are is given beside them, since an
    extractor that trains under noise makes its features larger.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its runs guarantee.
        printed: Tables II to V.
        axes: those of a row, with their defaults.
        delta: the task's.
        rounds: of a run.
    """
    guaranteed = read_tidy(guarantees, axes).drop_duplicates("setting")
    table = noise_rows(read_tidy(runs, axes), guaranteed, delta, rounds)
    return ResultTable(beside_table5(table, published.read(printed)), FEATURE_NOISE_COLUMNS)


def noise_rows(
    runs: pd.DataFrame, guarantees: pd.DataFrame, delta: float, rounds: int
) -> pd.DataFrame:
    """Return a row per noise: means over seeds, and what one release and all rounds come to."""
    table = mean_and_spread(runs, ["setting", *NOISED_BY], measured=MEASURED)
    kept = ["setting", "noise_std", "given_sigma", "given_epsilon"]
    table = table.merge(guarantees[kept], on="setting")
    computed = [epsilons(row, delta, rounds) for row in table.to_dict("records")]
    table[["epsilon_once", "epsilon_rounds"]] = pd.DataFrame(computed, index=table.index)
    table["holds"] = table["mechanism"].map({"none": "", "gaussian": "yes"}).fillna("no")
    order = {"none": 0, "feature_gaussian": 1, "feature_laplace": 2, "gaussian": 3}
    ranked = table.assign(rank=table["mechanism"].map(order)).sort_values(
        ["rank", "feature_clip", "epsilon"], na_position="first"
    )
    return ranked.drop(columns=["rank", "given_sigma", "given_epsilon"])


def epsilons(row: Mapping[str, Any], delta: float, rounds: int) -> tuple[float, float]:
    """Return epsilon of one release and of all rounds, exactly.

    Of the noise as printed: if a sample moved its features by the stated sensitivity at most.
    """
    match row["mechanism"]:
        case "feature_gaussian":
            once, over_rounds = (
                epsilon_at_stated_sensitivity(row["noise_std"], delta, n) for n in (1, rounds)
            )
            return once, over_rounds
        case "feature_laplace":
            return row["epsilon"], rounds * row["epsilon"]
        case "gaussian":
            return gaussian_epsilon(row["given_sigma"], delta), row["given_epsilon"]
    return float("nan"), float("nan")


def beside_table5(table: pd.DataFrame, tables: pd.DataFrame) -> pd.DataFrame:
    """Return the table with Table V's CNN beside the noise as printed, on its own task."""
    shown = tables[(tables["table"] == "V") & (tables["backbone"] == "cnn")]
    shown = shown.astype({"epsilon": float, "printed": float})
    numbers = shown.pivot(index="epsilon", columns="quantity", values="printed")[PRINTED]
    numbers["accuracy"] /= 100
    merged = table.merge(numbers.add_prefix("printed_").reset_index(), on="epsilon", how="left")
    as_printed = (merged["mechanism"] == "feature_gaussian") & merged["feature_clip"].isna()
    merged.loc[~as_printed, [f"printed_{name}" for name in PRINTED]] = float("nan")
    return merged


# --- round weights --------------------------------------------------------------------------------

ROUND_WEIGHTS_COLUMNS = [
    Column("dataset", "Data set", format=lambda of: of.upper().replace("CIFAR", "CIFAR-")),
    Column("backbone", "Backbone", format=str.upper),
    Column("weights", "Weights", format="{:,}"),
    Column("width", "Numbers of a sample's features", format="{:,}"),
    Column("samples", "Samples of a client"),
    Column("features", "Features of a client", format="{:,}"),
    Column("share", "Features over weights", format="{:.0%}"),
    Column("megabytes", "A client's message", "MB", "{:.1f}"),
]


def round_weights(statements: str) -> ResultTable:
    """Tabulate what a client of FedFeat+ sends in a round at the paper's size, by closed forms."""
    stated = PaperRecord.of([statements]).numbers("statements")
    samples = int(stated["shards_per_client"] * stated["samples_per_shard"])
    table = pd.DataFrame(
        {"dataset": dataset, "backbone": kind} | round_weight(kind, dataset, samples)
        for dataset, kind in product(DATASETS, TABLE_I)
    )
    table["megabytes"] = (table["weights"] + table["features"]) * FLOAT_BITS / 8e6
    return ResultTable(table, ROUND_WEIGHTS_COLUMNS)
