"""Tabulate EPPFL by setting: accuracy of both inferences, ε in total, bytes by formula and ledger.

Bytes are of one client in one round. The formulas are the paper's (Sec. 2.3), which count neither
positions nor weights, and one gradient per mini-batch; the ledger has what was sent. Beside them
is what FedAvg sends with the same network: all of its weights.
"""

from collections.abc import Mapping
from math import ceil
from typing import Any

import pandas as pd
from fbftl.findings import tables as shared
from fbftl.findings.published import Measured
from fbftl.findings.run_file import read_run
from fbftl.findings.runs import counted
from fbftl.findings.steps import Axes, Paths
from fbftl.findings.tables import Column, ResultTable
from fbftl.ground.floats import FLOAT_BYTES
from fbftl.messages.ledger import read_ledger
from fbftl.models.cost.payload import printed_downlink_bytes, printed_uplink_bytes

BYTES = "{:,.0f}"

SENT = {
    "activations": ("client", "edge", "activations"),
    "labels": ("client", "edge", "labels"),
    "gradients": ("edge", "client", "gradients"),
    "weights": ("client", "aggregator", "weights"),
    "edge_weights": ("edge", "aggregator", "weights"),
}
"""Columns of the ledger's bytes: sender, receiver and part."""

UP = ("activations", "labels", "weights")

OF_AXES = [
    Column("local_epochs", "Local epochs E", format="{:.0f}", page=True),
    Column("client_part", "Client's last layer", page=True),
    Column("keep_activations", "Activations kept θ_a", format="{:g}", page=True),
    Column("keep_gradients", "Gradients kept θ_g", format="{:g}"),
    Column("kept_gradients", "Kept"),
    Column("selection_reading", "Reading"),
    Column("epsilon", "ε of one activation", format="{:g}", page=True),
    Column("laplace_sensitivity", "Sensitivity"),
    Column("aggregation", "Aggregation"),
    Column("mask_shape", "Mask"),
]

AXES = [column.name for column in OF_AXES]
"""Axes of a row."""

EPPFL_COLUMNS = [
    *OF_AXES,
    *shared.accuracy("Accuracy, clean inference"),
    *shared.with_spread("protected", "Accuracy, protected inference", page=True),
    *shared.SEED_COUNTS,
    Column("total_epsilon", "ε in total", format="{:,.0f}"),
    Column("formula_up", "Up by formula", "bytes", BYTES),
    Column("uplink", "Uplink", "bytes", BYTES, page=True),
    Column("uplink_with_positions", "Up with positions", "bytes", BYTES),
    Column("formula_down", "Gradients by formula", "bytes", BYTES),
    Column("gradients", "Gradients", "bytes", BYTES),
    Column("over_fedavg", "Uplink over FedAvg's", format="{:.2f}", page=True),
]


def eppfl(runs: Paths, ledgers: Paths, axes: Axes) -> ResultTable:
    """Tabulate EPPFL by setting: accuracy of both inferences, ε in total, bytes up and down.

    Args:
        runs: run files of the experiment, of which EPPFL's are shown.
        ledgers: their ledgers, in the same order.
        axes: those of a row, with their defaults.
    """
    read = ((read_run(run), ledger) for run, ledger in zip(runs, ledgers, strict=True))
    rows = [row(run, ledger, axes) for run, ledger in read if run["setting"]["method"] == "eppfl"]
    table = pd.DataFrame(rows).sort_values(AXES, ignore_index=True, kind="stable")
    return ResultTable(table, EPPFL_COLUMNS)


def row(run: Mapping[str, Any], ledger: str, axes: Axes) -> dict[str, Any]:
    """Return the row of one run."""
    values = {axis: run["setting"].get(axis, axes[axis]) for axis in AXES}
    sent, first = bytes_by_part(ledger), run["repetitions"][0]
    uplink, weights = sum(sent[part] for part in UP), FLOAT_BYTES * first["parameters"]
    # Of a client, D samples; the mean, rounded up, where they differ.
    samples, width = ceil(first["offered"] / first["clients"]), first["activations"]
    batches = ceil(samples / (run["training"]["local_batch"] or samples))
    epochs, kept = values["local_epochs"], values["keep_activations"]
    # A bit per position, had clients to tell which activations they keep.
    with_bits = kept < 1 and values["selection_reading"] != "code"
    down = printed_downlink_bytes(batches, epochs, values["keep_gradients"], width)
    return {
        "setting": run["name"],
        **values,
        **scores(run),
        "total_epsilon": first["privacy"][0]["epsilon"],
        "formula_up": float(printed_uplink_bytes(samples, epochs, kept, width)),
        "formula_down": float(down),
        **sent,
        "uplink": uplink,
        "uplink_with_positions": uplink + (samples * epochs * width / 8 if with_bits else 0.0),
        "fedavg": weights,
        "over_fedavg": uplink / weights,
    }


def scores(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return mean and spread of both accuracies, as seeds count."""
    seeds = [counted(repetition, run["measures"]) for repetition in run["repetitions"]]
    clean, protected = (
        Measured.of([of_seed[name] for of_seed in seeds])
        for name in ("test_accuracy", "protected_accuracy")
    )
    return {
        **clean.columns("accuracy", "spread"),
        **protected.columns("protected"),
        "seeds": clean.seeds,
        "diverged": sum(repetition["diverged"] for repetition in run["repetitions"]),
    }


def bytes_by_part(ledger: str) -> dict[str, float]:
    """Return the mean bytes of one client in one round, by part."""
    rows = read_ledger(ledger, ["sender", "receiver", "part", "bits"]).to_pandas()
    sums = rows.groupby(["sender", "receiver", "part"], observed=True)["bits"].agg(["sum", "count"])
    uploads = sums["count"].get(SENT["activations"], 0)
    bits_of = {part: sums["sum"].get(key, 0) for part, key in SENT.items()}
    return {part: bits / 8 / max(uploads, 1) for part, bits in bits_of.items()}
