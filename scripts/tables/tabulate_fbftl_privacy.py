"""Tables of paper fbftl: accuracy under noise, and what labels tell.

Each function returns one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fbftl.data.clients import ClientFile
from fbftl.data.partition import label_counts, partition
from fbftl.findings import published
from fbftl.findings.columns import (
    DIVERGED,
    EPSILON,
    SEED_COUNTS,
    TEST_SET,
    VERDICT,
    accuracy,
    judged_against,
    with_spread,
)
from fbftl.findings.printed import beside, judged
from fbftl.findings.runs import read_tidy
from fbftl.findings.sampling_error import error_of, size_of_test_set
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.setups import Setup, differs
from fbftl.findings.tables import Column, ResultTable
from fbftl.ground.csv_tables import read_table
from fbftl.privacy.label_leakage import partition_leakage
from fbftl.privacy.label_privacy import batch_types
from fbftl.privacy.mechanisms import RELATIVE_NOTE, gaussian_per_client, no_mechanism

# --- privacy --------------------------------------------------------------------------------------

PRIVACY_KEYS = ["method", "samples_per_client", "mechanism", "epsilon", "label_epsilon"]

CALIBRATED = {
    "unit": "unit",
    "adjacency": "adjacency",
    "clip_norm": "clip",
    "given_sigma": "sigma",
    "given_epsilon": "reached",
    "delta": "delta",
    "given_accountant": "accountant",
    "covers_labels": "covers_labels",
    "note": "note",
}
"""Columns of the guarantee that sigma was calibrated to, and their names here."""

PRIVACY_COLUMNS = [
    Column("samples_per_client", "K", "samples", "{:.0f}", page=True),
    Column("method", "Method", page=True),
    EPSILON,
    Column("label_epsilon", "Label ε", format="{:g}", page=True),
    *accuracy(),
    TEST_SET,
    DIVERGED,
    Column("mechanism", "Mechanism"),
    Column("unit", "Unit", page=True),
    Column("adjacency", "Neighbours"),
    Column("clip", "Clip norm c", format="{:.3g}"),
    Column("sigma", "Noise σ", "c", "{:.3g}"),
    Column("delta", "δ", format="{:.0e}"),
    Column("accountant", "Accountant"),
    Column("epsilon_sample", "ε, sample replaced", format="{:.3g}"),
    Column("epsilon_client", "ε, client replaced", format="{:.3g}", page=True),
    *judged_against("CIFAR-10"),
]


def privacy(
    runs: str, guarantees: str, clients: str, printed: str | Path, setups: str,
    axes: dict[str, Any], setup: Setup,
) -> ResultTable:  # fmt: skip
    """Tabulate accuracy against epsilon per method and samples per client (paper, Fig. 12).

    The methods do not protect the same thing. FbFTL's mechanism is calibrated to a sample that is
    replaced and holds against the server too; DP-FedAvg is calibrated to a client that is added or
    removed and trusts the server with every update. So beside the guarantee that the noise is
    calibrated to is what the same noise gives a replaced sample and a replaced client.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its mechanisms guarantee.
        clients: the task's client file.
        printed: published values of Fig. 12.
        setups: the published setups.
        axes: the keys of a row, with their defaults.
        setup: the task's.
    """
    table = with_guarantees(accuracies(read_tidy(runs, axes)), read_tidy(guarantees, axes))
    table["test_set_error"] = error_of(table["accuracy"], size_of_test_set(clients))
    reason = differs(setup, setups, "cifar10")
    return ResultTable(beside_fig12(table, published.read(printed), reason), PRIVACY_COLUMNS)


def accuracies(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting and K: accuracy, its spread, seeds, and how many diverged.

    FbFTL's uploads are the same whoever holds the samples, so one run of it is at every K.
    """
    table = mean_and_spread(runs, PRIVACY_KEYS)
    of_sizes = table[table["samples_per_client"].notna()]
    sizes = of_sizes["samples_per_client"].drop_duplicates().rename("size")
    if sizes.empty:
        return table
    shared = table[table["samples_per_client"].isna()].merge(sizes, how="cross")
    shared["samples_per_client"] = shared.pop("size")
    return pd.concat([of_sizes, shared], ignore_index=True).sort_values(
        PRIVACY_KEYS, ignore_index=True
    )


def with_guarantees(table: pd.DataFrame, guarantees: pd.DataFrame) -> pd.DataFrame:
    """Add the calibrated guarantee, and epsilon of a replaced sample and of a replaced client."""
    rows = []
    for row in table.to_dict("records"):
        matching = guarantees
        for key in PRIVACY_KEYS:
            same = matching[key].isna() if pd.isna(row[key]) else matching[key] == row[key]
            shared = matching[key].isna() if key == "samples_per_client" else False
            matching = matching[same | shared]
        first = matching.iloc[0]
        rows.append(
            row
            | {name: first[column] for column, name in CALIBRATED.items()}
            | {f"epsilon_{unit}": replaced(matching, unit, row) for unit in ("sample", "client")}
        )
    return pd.DataFrame(rows)


def replaced(guarantees: pd.DataFrame, unit: str, row: dict[str, object]) -> float | None:
    """Return the epsilon at which one sample, or all K of a client, may be replaced by any."""
    first = guarantees.iloc[0]
    if first["mechanism"] == "gaussian" and unit == "client":
        if pd.isna(row["samples_per_client"]):
            return None
        return gaussian_per_client(
            clip_norm=first["clip_norm"],
            sigma=first["given_sigma"],
            delta=first["delta"],
            samples=int(row["samples_per_client"]),
        ).epsilon
    match = guarantees[(guarantees["unit"] == unit) & (guarantees["adjacency"] == "replace-one")]
    return None if match.empty else match["given_epsilon"].iloc[0]


def beside_fig12(table: pd.DataFrame, printed: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Add the published accuracy of the same method, K and epsilon, judged; its labels are open."""
    joined = beside(table, printed, ["method", "samples_per_client", "epsilon"])
    joined.loc[joined["label_epsilon"].notna(), "printed"] = None
    return judged(joined, reason)


# --- noise ----------------------------------------------------------------------------------------

NOISE_COLUMNS = [
    Column("method", "Method", page=True),
    Column("sigma", "Noise σ", "R std(g)", "{:g}", page=True),
    Column("noise_draw", "Drawn", page=True),
    *accuracy(),
    TEST_SET,
    *SEED_COUNTS,
    Column("mechanism", "Mechanism", page=True),
    Column("guarantee", "Guarantee", page=True),
    *judged_against("CIFAR-10"),
    Column("footnote", "Footnote", width="6cm"),
]


def noise(
    runs: str, clients: str, printed: str, setups: str, axes: dict[str, Any], setup: Setup
) -> ResultTable:
    """Tabulate accuracy against the relative noise of the paper (Sec. V-B), drawn once or each
    epoch.

    The guarantee column is empty, because this mechanism gives none; the footnote says why.

    Args:
        runs: tidy table of the experiment.
        clients: the task's client file.
        printed: published values of the notebook's sweep.
        setups: the published setups.
        axes: those of the noise, with their defaults.
        setup: the task's.
    """
    reason = differs(setup, setups, "cifar10")
    table = beside_notebook(read_tidy(runs, axes), published.read(printed), reason)
    test_set_error = error_of(table["accuracy"], size_of_test_set(clients))
    return ResultTable(table.assign(test_set_error=test_set_error), NOISE_COLUMNS)


def beside_notebook(runs: pd.DataFrame, printed: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Return a row per method, sigma and way of drawing, with the notebook's accuracy, judged."""
    table = mean_and_spread(runs, ["method", "mechanism", "sigma", "noise_draw"])
    table["sigma"] = table["sigma"].fillna(0.0)
    table = judged(beside(table, printed, ["method", "sigma"]), reason)
    noisy = table["mechanism"] == "relative"
    table["guarantee"] = pd.NA
    table["footnote"] = pd.Series(RELATIVE_NOTE, table.index).where(noisy, no_mechanism().note)
    return table.sort_values(["method", "sigma", "noise_draw"])


# --- label leakage --------------------------------------------------------------------------------

THREE_PLACES = "{:.3f}"

OTHERS: dict[str, dict[str, Any]] = {
    "iid": {"partition": "iid"},
    "shards, 2 per client": {"partition": "shards", "shards_per_client": 2},
    "Dirichlet, α = 0.1": {"partition": "dirichlet", "alpha": 0.1},
    "Dirichlet of equal sizes, α = 0.1": {"partition": "dirichlet_equal", "alpha": 0.1},
}
"""Partitions that the task's own is compared with."""

LABEL_LEAKAGE_COLUMNS = [
    Column("partition", "Partition", page=True),
    Column("clients", "Clients"),
    Column("smallest", "Smallest", "samples", page=True),
    Column("largest", "Largest", "samples", page=True),
    Column("entropy_true", "H(B | P)", "bits", THREE_PLACES, page=True),
    Column("entropy_queried", "H(B | C)", "bits", THREE_PLACES),
    *with_spread("entropy_queried_iid", "Same, iid draw", "bits", THREE_PLACES),
    Column("statistical", "Leakage Ls", "bits", THREE_PLACES, page=True),
    Column("query", "Leakage Lq", "bits", THREE_PLACES, page=True),
    Column("total", "Leakage Lt", "bits", THREE_PLACES, page=True),
    Column("client_entropy", "Label given client", "bits", THREE_PLACES, page=True),
    Column("client_entropy_iid", "Same, iid expected", "bits", THREE_PLACES),
]


def label_leakage(clients: str, block: Mapping[str, Any]) -> ResultTable:
    """Tabulate what the task's client partition tells of its clients' labels, beside other
    partitions.

    The formulas of Sec. V-A assume that clients draw their labels independently; shards and
    Dirichlet partitions do not. All partitions are of the same samples, with the task's own
    clients' sizes where the partition allows.

    Args:
        clients: the task's client file.
        block: config block `clients` of the task.
    """
    with ClientFile(clients) as file:
        labels = file.column("train", "label")
        sizes = file.samples_per_client("train")
    client = np.repeat(np.arange(len(sizes)), sizes)
    frame = pd.DataFrame(
        leakage_row(name, label_counts(labels, assigned, int(labels.max()) + 1), block["seed"])
        for name, assigned in partitions(labels, client, block)
    )
    return ResultTable(frame, LABEL_LEAKAGE_COLUMNS)


def partitions(
    labels: np.ndarray, client: np.ndarray, spec: Mapping[str, Any]
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the task's own partition, then others of the same samples, as (name, client (n,))."""
    yield f"this task ({spec['partition']})", client
    sizes = {"samples_per_client": None, "clients": int(client.max()) + 1}
    if spec.get("samples_per_client") is not None:
        sizes = {"samples_per_client": spec["samples_per_client"], "clients": None}
    for name, other in OTHERS.items():
        yield name, partition(labels, other | sizes, spec["seed"])


def leakage_row(name: str, counts: np.ndarray, seed: int) -> dict[str, Any]:
    """Return one partition's leakage; counts are (clients, classes)."""
    leakage = asdict(partition_leakage(counts, seed=seed))
    iid = leakage.pop("entropy_queried_iid")
    sizes = counts.sum(axis=1)
    return (
        {"partition": name, "smallest": sizes.min(), "largest": sizes.max()}
        | leakage
        | {"entropy_queried_iid": iid["mean"], "entropy_queried_iid_spread": iid["spread"]}
    )


# --- label privacy --------------------------------------------------------------------------------

TWO_PLACES = "{:.2f}"

NEAR_BITS = 0.01
"""Bits up to which two uncertainties count as equal."""

LABEL_PRIVACY_COLUMNS = [
    Column("UK", "UK", "samples", page=True),
    Column("K", "K", "samples", page=True),
    Column("U", "Clients U", page=True),
    Column("types", "Batch types"),
    Column("prior", "Before the query", "bits", TWO_PLACES, page=True),
    Column("exact", "After, all types", "bits", TWO_PLACES, page=True),
    Column("spread", "±", format="{:.3f}"),
    Column("truncated", "After, first U types", "bits", TWO_PLACES, page=True),
    Column("published", "Published", "bits", TWO_PLACES, page=True),
    VERDICT,
]


def label_privacy(numbers: str, setting: dict[str, Any]) -> ResultTable:
    """Tabulate label privacy against samples per client: exact, truncated, published (Fig. 11).

    Args:
        numbers: csv of the figure: series, UK, U, K, bits, spread.
        setting: `classes` (N) and `repetitions`, the draws behind every mean.
    """
    table = side_by_side(read_table(numbers), setting["classes"], setting["repetitions"])
    return ResultTable(table, LABEL_PRIVACY_COLUMNS)


def side_by_side(numbers: pd.DataFrame, classes: int, repetitions: int) -> pd.DataFrame:
    """Return a row per UK and K with the uncertainty computed each way, the published one judged.

    Draws of all clients take the part of seeds.
    """
    of = {name: rows.drop(columns="series") for name, rows in numbers.groupby("series")}
    table = of["exact"].rename(columns={"bits": "exact"})
    for name, column in (("truncated", "truncated"), ("published", "printed")):
        other = of[name][["UK", "K", "bits"]].rename(columns={"bits": column})
        table = table.merge(other, on=["UK", "K"], how="left")
    prior = of["prior"][["K", "bits"]].rename(columns={"bits": "prior"})
    table = table.merge(prior, on="K").astype({"UK": int, "U": int})
    table["types"] = [batch_types(classes, samples) for samples in table["K"]]
    table["printed"] = table["printed"].map(str, na_action="ignore")
    table = table.assign(seeds=repetitions, printed_unit="bit")
    judgement = judged(table, reason="", score="exact", places=0, band=NEAR_BITS)
    return judgement.drop(columns="reason").sort_values(["UK", "K"])
