"""Tabulate noise on features: accuracy, the paper's metrics, what it guarantees (Tables IV and V).

Beside the noise as printed are the same noise on clipped features, and noise that holds. The
metrics are of the last round; how large the features are is given beside them, since an extractor
that trains under noise makes its features larger.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.columns import PERCENT, SEED_COUNTS, accuracy
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.tables import Column, ResultTable
from fbftl.privacy.accounting import gaussian_epsilon
from fbftl.privacy.feature_noise import epsilon_at_stated_sensitivity

NATS = "{:.4f}"
SETTING = ["mechanism", "feature_clip", "epsilon"]
METRICS = [
    "mutual_information",
    "entropy_difference",
    "kl_divergence",
    "feature_correlation",
    "feature_std",
    "feature_norm",
]
PRINTED = ["accuracy", *METRICS[:4]]

COLUMNS = [
    Column("mechanism", "Noise", page=True),
    Column("epsilon", "ε asked for", format="{:g}", page=True),
    Column("feature_clip", "Clip norm", format="{:g}"),
    Column("noise_std", "Noise std", format="{:.3g}", page=True),
    *accuracy(),
    Column("mutual_information", "MI", "nats", NATS, page=True),
    Column("entropy_difference", "ED", "nats", NATS),
    Column("kl_divergence", "KL", "nats", NATS),
    Column("feature_correlation", "FC", format=NATS, page=True),
    Column("feature_std", "Feature std", format="{:.3g}"),
    Column("feature_norm", "Feature norm", format="{:.3g}"),
    Column("epsilon_once", "ε of one release", format="{:.3g}"),
    Column("epsilon_rounds", "ε of all rounds", format="{:.3g}", page=True),
    Column("holds", "Holds", page=True),
    *SEED_COUNTS,
    Column("printed_accuracy", "Published, CIFAR-10: accuracy", format=PERCENT),
    Column("printed_mutual_information", "MI", format=NATS),
    Column("printed_entropy_difference", "ED", format=NATS),
    Column("printed_kl_divergence", "KL", format=NATS),
    Column("printed_feature_correlation", "FC", format=NATS),
]


def main(
    runs: str, guarantees: str, printed: str, axes: dict[str, Any], delta: float,
    rounds: int,
) -> ResultTable:  # fmt: skip
    """Return the table.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its runs guarantee.
        printed: Tables II to V.
        axes: those of a row, with their defaults.
        delta: the task's.
        rounds: of a run.
    """
    guaranteed = read_tidy(guarantees, axes).drop_duplicates("setting")
    table = rows(read_tidy(runs, axes), guaranteed, delta, rounds)
    return ResultTable(with_published(table, published.read(printed)), COLUMNS)


def rows(runs: pd.DataFrame, guarantees: pd.DataFrame, delta: float, rounds: int) -> pd.DataFrame:
    """Return a row per noise: means over seeds, and what one release and all rounds come to."""
    table = mean_and_spread(runs, ["setting", *SETTING])
    means = runs.groupby("setting")[METRICS].mean().reset_index()
    kept = ["setting", "noise_std", "given_sigma", "given_epsilon"]
    table = table.merge(means, on="setting").merge(guarantees[kept], on="setting")
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
            return tuple(
                epsilon_at_stated_sensitivity(row["noise_std"], delta, releases)
                for releases in (1, rounds)
            )
        case "feature_laplace":
            return row["epsilon"], rounds * row["epsilon"]
        case "gaussian":
            return gaussian_epsilon(row["given_sigma"], delta), row["given_epsilon"]
    return float("nan"), float("nan")


def with_published(table: pd.DataFrame, tables: pd.DataFrame) -> pd.DataFrame:
    """Return the table with Table V's CNN beside the noise as printed, on its own task."""
    of = (tables["table"] == "V") & (tables["backbone"] == "cnn")
    shown = tables[of].assign(epsilon=tables["epsilon"][of].astype(float))
    numbers = shown.assign(printed=shown["printed"].astype(float)).pivot(
        index="epsilon", columns="quantity", values="printed"
    )[PRINTED]
    numbers["accuracy"] /= 100
    numbers = numbers.add_prefix("printed_").reset_index()
    merged = table.merge(numbers, on="epsilon", how="left")
    as_printed = (merged["mechanism"] == "feature_gaussian") & merged["feature_clip"].isna()
    merged.loc[~as_printed, [f"printed_{name}" for name in PRINTED]] = float("nan")
    return merged
