"""Tabulate accuracy against epsilon per method and samples per client (paper, Fig. 12).

The methods do not protect the same thing. FbFTL's mechanism is calibrated to a sample that is
replaced and holds against the server too; DP-FedAvg is calibrated to a client that is added or
removed and trusts the server with every update. So beside the guarantee that the noise is
calibrated to is what the same noise gives a replaced sample and a replaced client.
"""

from pathlib import Path
from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.columns import DIVERGED, EPSILON, TEST_SET, accuracy, judged_against
from fbftl.findings.printed import beside, judged
from fbftl.findings.runs import read_tidy
from fbftl.findings.sampling_error import error_of, size_of_test_set
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.setups import Setup, differs
from fbftl.findings.tables import Column, ResultTable
from fbftl.privacy.mechanisms import gaussian_per_client

KEYS = ["method", "samples_per_client", "mechanism", "epsilon", "label_epsilon"]

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

COLUMNS = [
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


def main(
    runs: str, guarantees: str, clients: str, printed: str | Path, setups: str,
    axes: dict[str, Any], setup: Setup,
) -> ResultTable:  # fmt: skip
    """Return the table.

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
    return ResultTable(beside_published(table, published.read(printed), reason), COLUMNS)


def accuracies(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting and K: accuracy, its spread, seeds, and how many diverged.

    FbFTL's uploads are the same whoever holds the samples, so one run of it is at every K.
    """
    table = mean_and_spread(runs, KEYS)
    of_sizes = table[table["samples_per_client"].notna()]
    sizes = of_sizes["samples_per_client"].drop_duplicates().rename("size")
    if sizes.empty:
        return table
    shared = table[table["samples_per_client"].isna()].merge(sizes, how="cross")
    shared["samples_per_client"] = shared.pop("size")
    return pd.concat([of_sizes, shared], ignore_index=True).sort_values(KEYS, ignore_index=True)


def with_guarantees(table: pd.DataFrame, guarantees: pd.DataFrame) -> pd.DataFrame:
    """Add the calibrated guarantee, and epsilon of a replaced sample and of a replaced client."""
    rows = []
    for row in table.to_dict("records"):
        matching = guarantees
        for key in KEYS:
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


def beside_published(table: pd.DataFrame, printed: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Add the published accuracy of the same method, K and epsilon, judged; its labels are open."""
    joined = beside(table, printed, ["method", "samples_per_client", "epsilon"])
    joined.loc[joined["label_epsilon"].notna(), "printed"] = None
    return judged(joined, reason)
