"""Tabulate what a client may upload: bits, airtime, energy, accuracy, and what the server sees."""

from collections.abc import Mapping
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from fbftl.cost.layers import Network, multiplications, read_network
from fbftl.cost.one_shot import solving
from fbftl.findings.columns import DIVERGED, SEEDS, TEST_SET, accuracy
from fbftl.findings.marks import on_front
from fbftl.findings.runs import read_tidy
from fbftl.findings.sampling_error import error_of, size_of_test_set
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.tables import Column, ResultTable, prefixed
from fbftl.findings.uploads import READ, by_upload
from fbftl.study.job import most_epochs

COLUMNS = [
    Column("name", "Upload", page=True),
    Column("message", "Message"),
    Column("head", "Head", page=True),
    Column("clients", "Clients", format="{:,.0f}"),
    Column("numbers_per_client", "Numbers per client", format="{:,.0f}"),
    Column("bits_per_client", "Uplink per client", "bits", prefixed, page=True),
    Column("uplink_bits", "Uplink in all", "bits", prefixed),
    Column("times_fbftl", "Uplink over FbFTL's", format="{:.3g}", page=True),
    Column("airtime", "Airtime per client", "s", "{:.3g}"),
    Column("sending_energy", "Energy to send, in all", "J", "{:.3g}"),
    *accuracy(),
    TEST_SET,
    SEEDS,
    Column("multiplications", "Multiplications to solve", format=prefixed),
    Column("solving_energy", "Energy to solve", "J", "{:.3g}"),
    Column("summable", "Adds up", page=True),
    Column("revealed", "The server sees", width="5cm", page=True),
    Column("pareto", "On the front", page=True),
    DIVERGED,
]

KEYS = ["setting", *READ, "epsilon"]


def main(
    runs: str, network: str, clients: str, axes: dict[str, Any],
    radio: Mapping[str, float], training: Mapping[str, Any], one_shot: Mapping[str, Any],
) -> ResultTable:  # fmt: skip
    """Return the table.

    Args:
        runs: tidy table of the experiment.
        network: the task's layers and its cut.
        clients: the task's client file.
        axes: those of uploads, with their defaults.
        radio: data rate and energies, from the configuration.
        training: the task's training values.
        one_shot: the task's block of that name, for what bounds a mixture's components.
    """
    table = tabulated(read_tidy(runs, axes), read_network(network), radio, training)
    table["test_set_error"] = error_of(table["accuracy"], size_of_test_set(clients))
    bounds = {key: one_shot[key] for key in ("least_variance", "least_samples")}
    of_mixtures = table["message"] == "mixtures"
    for key, value in bounds.items():
        table[key] = pd.Series(value, index=table.index).where(of_mixtures)
    return ResultTable(table, COLUMNS)


def tabulated(
    runs: pd.DataFrame, network: Network, radio: Mapping[str, float], training: Mapping[str, Any]
) -> pd.DataFrame:
    """Return a row per setting, in the order of messages and heads."""
    scores = mean_and_spread(runs, KEYS)
    sent = runs.groupby("setting", sort=True)[
        ["upload_batches", "numbers_per_batch", "uplink_payload_bits", "uplink_bits"]
    ].mean()
    table = scores.merge(sent.reset_index(), on="setting")
    table = table.rename(
        columns={"upload_batches": "clients", "numbers_per_batch": "numbers_per_client"}
    )
    table["bits_per_client"] = table["uplink_bits"] / table["clients"]
    plain = table.loc[table["setting"] == "fbftl", "uplink_bits"]
    table["times_fbftl"] = table["uplink_bits"] / plain.iloc[0] if len(plain) else None
    table["airtime"] = table["bits_per_client"] / radio["data_rate"]
    table["sending_energy"] = table["uplink_bits"] * radio["joules_per_bit"]
    rows = []
    for upload, upload_rows in by_upload(table):
        width = upload.projection or network.feature_width
        solved = solving(
            upload.head, width, network.head[-1].outputs, trained(network, upload_rows, training)
        )
        rows.append(
            upload_rows.assign(
                name=upload.label,
                multiplications=solved,
                summable="yes" if upload.summable else "no",
                revealed=upload.revealed,
            )
        )
    table = pd.concat(rows, ignore_index=True)
    table["multiplications"] = table["multiplications"].astype(float)
    table["solving_energy"] = table["multiplications"] * radio["joules_per_multiplication"]
    front = on_front(table["uplink_bits"], table["accuracy"])
    return table.assign(pareto=np.where(front, "yes", "no"))


def trained(network: Network, rows: pd.DataFrame, training: Mapping[str, Any]) -> int:
    """Return the multiplications of training the task's head: forward and backward (Eq. 16)."""
    samples = float(rows["offered"].max())
    steps = most_epochs(training["epochs"]) * ceil(samples / training["batch"])
    return 2 * steps * training["batch"] * multiplications(network.head)
