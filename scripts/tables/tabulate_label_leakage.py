"""Tabulate what the task's client partition tells of its clients' labels, beside other partitions.

The formulas of Sec. V-A assume that clients draw their labels independently; shards and Dirichlet
partitions do not. All partitions are of the same samples, with the task's own clients' sizes where
the partition allows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
from fbftl.data.clients import ClientFile
from fbftl.data.partition import label_counts, partition
from fbftl.findings.columns import with_spread
from fbftl.findings.tables import Column, ResultTable
from fbftl.privacy.label_leakage import partition_leakage

BITS = "{:.3f}"

OTHERS: dict[str, dict[str, Any]] = {
    "iid": {"partition": "iid"},
    "shards, 2 per client": {"partition": "shards", "shards_per_client": 2},
    "Dirichlet, α = 0.1": {"partition": "dirichlet", "alpha": 0.1},
    "Dirichlet of equal sizes, α = 0.1": {"partition": "dirichlet_equal", "alpha": 0.1},
}
"""Partitions that the task's own is compared with."""

COLUMNS = [
    Column("partition", "Partition", page=True),
    Column("clients", "Clients"),
    Column("smallest", "Smallest", "samples", page=True),
    Column("largest", "Largest", "samples", page=True),
    Column("entropy_true", "H(B | P)", "bits", BITS, page=True),
    Column("entropy_queried", "H(B | C)", "bits", BITS),
    *with_spread("entropy_queried_iid", "Same, iid draw", "bits", BITS),
    Column("statistical", "Leakage Ls", "bits", BITS, page=True),
    Column("query", "Leakage Lq", "bits", BITS, page=True),
    Column("total", "Leakage Lt", "bits", BITS, page=True),
    Column("client_entropy", "Label given client", "bits", BITS, page=True),
    Column("client_entropy_iid", "Same, iid expected", "bits", BITS),
]


def main(clients: str, block: Mapping[str, Any]) -> ResultTable:
    """Return the table.

    Args:
        clients: the task's client file.
        block: config block `clients` of the task.
    """
    with ClientFile(clients) as file:
        labels = file.column("train", "label")
        sizes = file.samples_per_client("train")
    client = np.repeat(np.arange(len(sizes)), sizes)
    frame = pd.DataFrame(
        row(name, label_counts(labels, assigned, int(labels.max()) + 1), block["seed"])
        for name, assigned in partitions(labels, client, block)
    )
    return ResultTable(frame, COLUMNS)


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


def row(name: str, counts: np.ndarray, seed: int) -> dict[str, Any]:
    """Return one partition's leakage; counts are (clients, classes)."""
    leakage = asdict(partition_leakage(counts, seed=seed))
    iid = leakage.pop("entropy_queried_iid")
    sizes = counts.sum(axis=1)
    return (
        {"partition": name, "smallest": sizes.min(), "largest": sizes.max()}
        | leakage
        | {"entropy_queried_iid": iid["mean"], "entropy_queried_iid_spread": iid["spread"]}
    )
