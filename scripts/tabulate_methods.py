"""Tabulate what every method costs until convergence (the rows of Table III) on a task.

Formula and ledger stand side by side: the formula counts the task's own traced layers, the ledger
what was really sent. They differ by design where the equations leave something out: labels and
message headers in the bits that were sent, and FTL_c's one-time broadcast of the extractor. The
published columns are of another task, so that only their order compares.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from fbftl.cost.compute import server_multiplications
from fbftl.cost.layers import Network, read_network
from fbftl.cost.payload import FLOAT_BITS
from fbftl.cost.scheme import scheme_cost
from fbftl.findings import published
from fbftl.findings.exchanged import Exchanged, read_methods
from fbftl.findings.tables import Column, prefixed, write_table
from fbftl.ground.logs import run_job
from fbftl.papers.fbftl.readings import LABELS

TRAIN_AT_SERVER = ("sfl", "fbftl")
"""Methods whose server trains; the others' only average."""

COLUMNS = [
    Column("method", "Method", format=LABELS.get),
    Column("epochs", "Epochs", format="{:.1f}"),
    Column("upload_batches", "Upload batches", format="{:,.0f}"),
    Column("numbers_per_batch", "Numbers per batch", format="{:,.0f}"),
    Column("uplink_per_batch", "Uplink per batch", "bit", prefixed),
    Column("uplink_formula", "Uplink by formula", "bit", prefixed),
    Column("uplink_ledger", "by ledger", "bit", prefixed),
    Column("uplink_sent", "as sent", "bit", prefixed),
    Column("downlink_formula", "Downlink by formula", "bit", prefixed),
    Column("downlink_ledger", "by ledger", "bit", prefixed),
    Column("downlink_once", "of it once", "bit", prefixed),
    Column("client_multiplications", "Multiplications at clients", format=prefixed),
    Column("server_multiplications", "at the server", format=prefixed),
    Column("accuracy", "Accuracy", format="{:.2%}"),
    Column("spread", "±", format="{:.2%}"),
    Column("diverged", "Diverged"),
    Column("seeds", "Seeds"),
    Column("times_fbftl", "Uplink over FbFTL's", format="{:,.0f}"),
    Column("published_accuracy", "Accuracy in the paper, CIFAR-10", format="{:.2%}"),
    Column("published_times_fbftl", "Uplink over FbFTL's in the paper", format="{:,.0f}"),
]

BITS = {"Tb": 10**12, "Gb": 10**9}
"""Units of Table III's totals."""


def main(runs: list[str], ledgers: list[str], network: str, table3: str, csv: str) -> None:
    """Write the table; md and tex go beside the csv.

    Args:
        runs: run files, one per method.
        ledgers: the runs' ledgers, in the same order.
        network: description of the task's network.
        table3: the published table, which is of CIFAR-10.
        csv: path of the csv.
    """
    layers = read_network(network)
    rows = pd.DataFrame(table_rows(read_methods(runs, ledgers), layers))
    fbftl = rows.loc[rows["method"] == "fbftl", "uplink_ledger"]
    rows["times_fbftl"] = rows["uplink_ledger"] / fbftl.iloc[0] if len(fbftl) else None
    write_table(csv, beside_published(rows, published.read(table3)), COLUMNS)


def beside_published(rows: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Add the paper's accuracy and uplink over FbFTL's to the rows of the same methods."""
    cells = printed.assign(value=printed["printed"].astype(float)).set_index(["quantity", "method"])
    uplink = cells.loc["total_uplink"]
    bits = uplink["value"] * uplink["unit"].map(BITS)
    return rows.assign(
        published_accuracy=rows["method"].map(cells.loc["accuracy", "value"] / 100),
        published_times_fbftl=rows["method"].map(bits / bits["fbftl"]),
    )


def table_rows(methods: dict[str, Exchanged], network: Network) -> Iterator[dict[str, Any]]:
    """Yield the table's rows, in the paper's order; a method that was not run has none.

    `fl_low` and `ftl_f_low` are those runs up to the first epoch at FTL_c's accuracy, seen on the
    mean test curve over seeds; they have no row if that is never reached.
    """
    for label in LABELS:
        run = methods.get(label.removesuffix("_low"))
        if run is None:
            continue
        if label == run.method:
            yield row(label, run, run.selected, network)
        elif "ftl_c" in methods:
            target = row("ftl_c", methods["ftl_c"], methods["ftl_c"].selected, network)
            epoch = run.first_reaching(target["accuracy"])
            if epoch is not None:
                yield row(label, run, [epoch] * len(run.seeds), network)


def row(label: str, run: Exchanged, epochs: list[int], network: Network) -> dict[str, Any]:
    """Return one row: means over seeds, each counted up to the end of its own epoch.

    Args:
        label: the row's method, `fl_low` and `ftl_f_low` included.
        run: the run and what it exchanged.
        epochs: the last epoch that counts, per seed.
        network: the task's network.
    """
    costs = [
        scheme_cost(network, federation, run.method, epoch)
        for epoch, federation in zip(epochs, run.federations, strict=True)
    ]
    server = [
        server_multiplications(network, federation.samples, epoch)
        for epoch, federation in zip(epochs, run.federations, strict=True)
    ]
    accuracy = [curve[epoch - 1] for epoch, curve in zip(epochs, run.accuracy, strict=True)]
    at_start = [0] * len(epochs)
    return {
        "method": label,
        "epochs": mean(epochs),
        "upload_batches": mean(cost.upload_batches for cost in costs),
        "messages": mean(run.until("up", "messages", epochs)),
        "numbers_per_batch": mean(cost.numbers_per_batch for cost in costs),
        "uplink_per_batch": mean(FLOAT_BITS * cost.numbers_per_batch for cost in costs),
        "uplink_formula": mean(cost.uplink_bits for cost in costs),
        "uplink_ledger": mean(run.until("up", "payload_bits", epochs)),
        "uplink_sent": mean(run.until("up", "bits", epochs)),
        "downlink_formula": mean(cost.downlink_bits for cost in costs),
        "downlink_ledger": mean(run.until("down", "payload_bits", epochs)),
        "downlink_once": mean(run.until("down", "payload_bits", at_start)),
        "client_multiplications": mean(cost.client_multiplications for cost in costs),
        "server_multiplications": mean(server) if run.method in TRAIN_AT_SERVER else None,
        "accuracy": float(np.mean(accuracy)),
        "spread": float(np.std(accuracy, ddof=1)) if len(accuracy) > 1 else None,
        "diverged": sum(repetition["diverged"] for repetition in run.repetitions),
        "seeds": len(run.seeds),
    }


def mean(values: Iterable[int | Fraction]) -> int | float:
    """Return the exact mean of exact numbers, a float only if it is no whole number."""
    exact = [Fraction(value) for value in values]
    average = sum(exact) / len(exact)
    return int(average) if average.denominator == 1 else float(average)


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            list(job.input.runs),
            list(job.input.ledgers),
            job.input.network,
            job.input.table3,
            job.output.csv,
        ),
    )
