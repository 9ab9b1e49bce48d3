"""Tabulate what every method costs until convergence (the rows of Table III) on a task.

Formula and ledger stand side by side: the formula counts the task's own traced layers, the ledger
what was really sent. They differ by design where the equations leave something out: labels and
message headers in the bits that were sent, and FTL_c's one-time broadcast of the extractor. The
published columns are of another task, so that only their order compares.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from fbftl.cost.layers import Network, read_network
from fbftl.cost.payload import FLOAT_BITS
from fbftl.cost.scheme import SchemeCost, scheme_cost
from fbftl.findings import published
from fbftl.findings.exchanged import Exchanged, read_methods
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.tables import Column, prefixed, write_table
from fbftl.ground.logs import run_job
from fbftl.papers.fbftl.readings import CUT_SHORT

WHOLE_NETWORK = ("fl", "ftl_f")
"""Methods that the paper also stops at FTL_c's accuracy."""

COLUMNS = [
    Column("label", "Method"),
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


def main(
    runs: list[str], ledgers: list[str], networks: list[str], table3: str, csv: str,
    methods: list[dict[str, Any]], axes: dict[str, Any],
) -> None:  # fmt: skip
    """Write the table; md and tex go beside the csv.

    Args:
        runs: run files, one per method.
        ledgers: the runs' ledgers, in the same order.
        methods: the methods of the runs, in the order of the rows.
        axes: axes in which a run deviates, with their defaults.
        networks: descriptions of the networks that the runs train, in the same order.
        table3: the published table, which is of CIFAR-10.
        csv: path of the csv.
    """
    read = read_methods(runs, ledgers, axes)
    trained = dict(zip(read, map(read_network, networks), strict=True))
    rows = pd.DataFrame(table_rows(shown(methods), read, trained))
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


def table_rows(
    methods: dict[str, ShownMethod], runs: dict[str, Exchanged], networks: dict[str, Network]
) -> Iterator[dict[str, Any]]:
    """Yield the table's rows, method by method.

    `fl_low` and `ftl_f_low` are those runs up to the first epoch at FTL_c's accuracy, seen on the
    mean test curve over seeds; they have no row if that is never reached.
    """
    for name, method in methods.items():
        run, network = runs[name], networks[name]
        yield row(method, run, run.selected, network)
        if name in WHOLE_NETWORK and "ftl_c" in runs:
            ftl_c = runs["ftl_c"]
            epoch = run.first_reaching(float(np.mean(accuracy_at(ftl_c, ftl_c.selected))))
            if epoch is not None:
                short = replace(
                    method, name=f"{name}{CUT_SHORT}", label=f"{method.label}{CUT_SHORT}"
                )
                yield row(short, run, [epoch] * len(run.seeds), network)


def row(method: ShownMethod, run: Exchanged, epochs: list[int], network: Network) -> dict[str, Any]:
    """Return one row: means over seeds, each counted up to the end of its own epoch.

    Args:
        method: the row's method; a run cut short has a name of its own.
        run: the run and what it exchanged.
        epochs: the last epoch that counts, per seed.
        network: the network that it trains.
    """
    counted = by_formula(method.cost, run, epochs, network)
    accuracy = accuracy_at(run, epochs)
    at_start = [0] * len(epochs)
    return {
        "method": method.name,
        "label": method.label,
        "epochs": mean(epochs),
        "upload_batches": counted["upload_batches"],
        "messages": mean(run.until("up", "messages", epochs)),
        "numbers_per_batch": counted["numbers_per_batch"],
        "uplink_per_batch": counted["uplink_per_batch"],
        "uplink_formula": counted["uplink_bits"],
        "uplink_ledger": mean(run.until("up", "payload_bits", epochs)),
        "uplink_sent": mean(run.until("up", "bits", epochs)),
        "downlink_formula": counted["downlink_bits"],
        "downlink_ledger": mean(run.until("down", "payload_bits", epochs)),
        "downlink_once": mean(run.until("down", "payload_bits", at_start)),
        "client_multiplications": counted["client_multiplications"],
        "server_multiplications": counted["server_multiplications"],
        "accuracy": float(np.mean(accuracy)),
        "spread": float(np.std(accuracy, ddof=1)) if len(accuracy) > 1 else None,
        "diverged": sum(repetition["diverged"] for repetition in run.repetitions),
        "seeds": len(run.seeds),
    }


def accuracy_at(run: Exchanged, epochs: list[int]) -> list[float]:
    """Return the test accuracy after each seed's own epoch."""
    return [curve[epoch - 1] for epoch, curve in zip(epochs, run.accuracy, strict=True)]


def by_formula(
    scheme: str | None, run: Exchanged, epochs: list[int], network: Network
) -> dict[str, int | float | None]:
    """Return what a scheme's formulas count, means over seeds; nothing where there are none."""
    if scheme is None:
        return dict.fromkeys([field.name for field in fields(SchemeCost)] + ["uplink_per_batch"])
    costs = [
        asdict(scheme_cost(network, federation, scheme, epoch))
        for epoch, federation in zip(epochs, run.federations, strict=True)
    ]
    counted = {name: mean_of(cost[name] for cost in costs) for name in costs[0]}
    return counted | {
        "uplink_per_batch": mean(FLOAT_BITS * cost["numbers_per_batch"] for cost in costs)
    }


def mean_of(values: Iterable[int | Fraction | None]) -> int | float | None:
    """Return the exact mean of exact numbers, None where a formula has none."""
    counted = list(values)
    return None if None in counted else mean(counted)


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
            list(job.input.networks),
            job.input.table3,
            job.output.csv,
            job.params.methods,
            job.params.axes,
        ),
    )
