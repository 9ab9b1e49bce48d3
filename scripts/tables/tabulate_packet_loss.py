"""Tabulate losses and attempts in the ledgers beside Eq. (18) and (19), and what they cost."""

from typing import Any

import numpy as np
import pandas as pd
from fbftl.findings.columns import METHOD, PERCENT, SEED_COUNTS, TEST_SET, accuracy, with_spread
from fbftl.findings.comparison import Measured, effect
from fbftl.findings.exchanged import Exchanged, read_exchanged
from fbftl.findings.sampling_error import error_of, error_of_difference, size_of_test_set
from fbftl.findings.shown import labelled, of_clients
from fbftl.findings.tables import Column, ResultTable
from fbftl.messages.channel import (
    GILBERT_ELLIOTT,
    burst_packet_loss_rate,
    expected_payload,
    packet_loss_rate,
)
from fbftl.study.job import KnownAxes

RATE = "{:.4%}"

EQ_18 = "Eq. (18)"

DIFFERENCE = ("difference", "difference_spread", "difference_lower", "difference_upper")
"""Accuracy less the method's own without loss, over seeds: mean, spread, Student's bounds."""

COLUMNS = [
    METHOD,
    Column("blr", "BLR", format="{:g}", page=True),
    Column("burst", "Burst", "blocks", "{:g}", page=True),
    Column("retransmissions", "n_r", page=True),
    Column("blocks", "Blocks per packet", format="{:.4g}"),
    Column("messages", "Packets sent", format="{:,.0f}"),
    Column("plr_ledger", "PLR by ledger", format=RATE, page=True),
    Column("plr_formula", "By formula", format=RATE),
    Column("formula", "Formula"),
    Column("plr_deviation", "±", format=RATE),
    Column("attempts_ledger", "Attempts per block by ledger", format="{:.5f}"),
    Column("attempts_formula", "By Eq. (19)", format="{:.5f}"),
    *accuracy(),
    TEST_SET,
    *with_spread("difference", "Against no loss", format="{:+.1%}", page=True),
    Column("test_set_error_of_difference", "Test set ± of it, at most", format=PERCENT),
    Column("effect", "Loss", page=True),
    *SEED_COUNTS,
]


def main(
    runs: list[str], ledgers: list[str], clients: str,
    methods: list[dict[str, Any]], axes: dict[str, Any],
) -> ResultTable:  # fmt: skip
    """Return the table.

    Args:
        runs: run files of the experiment.
        ledgers: the runs' ledgers, in the same order.
        clients: the task's client file.
        methods: the methods of the runs, in the order of the rows.
        axes: share of the clients, those of the link and the axes in which a run deviates, with
            their defaults.
    """
    read = [read_exchanged(run, ledger, axes) for run, ledger in zip(runs, ledgers, strict=True)]
    clean = {alike(run): run for run in read if run.setting.blr == 0}
    table = pd.DataFrame([row(run) | against(run, clean.get(alike(run))) for run in read])
    keys = ["fraction", "method", "blr", "burst", "retransmissions"]
    table = labelled(table, methods, keys, [False, *[True] * 4])
    table["label"] += table["fraction"].map(of_clients)
    table = with_test_set(table, size_of_test_set(clients))
    return ResultTable(table, COLUMNS)


def with_test_set(table: pd.DataFrame, samples: int) -> pd.DataFrame:
    """Return the table with the test set's error of accuracies, and the most of differences."""
    clean = table["accuracy"] - table["difference"].astype(float)
    return table.assign(
        test_set_error=error_of(table["accuracy"], samples),
        test_set_error_of_difference=error_of_difference(table["accuracy"], clean, samples),
    )


def alike(run: Exchanged) -> tuple[str, float]:
    """Return what a run shares with its own without loss: method and share of the clients."""
    return run.method, run.setting.fraction


def row(run: Exchanged) -> dict[str, Any]:
    """Return a setting's row: all packets of all seeds together, and the mean accuracy."""
    setting = run.setting
    last = [run.points] * len(run.seeds)
    messages, blocks, attempts, lost = (
        int(run.until("up", total, last).sum())
        for total in ("messages", "packets", "attempts", "lost")
    )
    expected, formula = loss_rate(setting, blocks / messages)
    deviation = None if expected is None else np.sqrt(expected * (1 - expected) / messages)
    return {
        "method": setting.method,
        "fraction": setting.fraction,
        "blr": setting.blr,
        "burst": setting.burst,
        "retransmissions": setting.retransmissions,
        "blocks": blocks / messages,
        "messages": messages,
        "plr_ledger": lost / messages,
        "plr_formula": expected,
        "formula": formula,
        "plr_deviation": deviation if setting.burst == 1 else None,
        "attempts_ledger": attempts / blocks,
        "attempts_formula": float(expected_payload(1, setting.blr, setting.retransmissions)),
        **run.summary(run.accuracies),
    }


def against(run: Exchanged, clean: Exchanged | None) -> dict[str, Any]:
    """Return what a method's accuracy is against its own without loss, seed by seed.

    Empty for the run without loss itself, and where there is none.
    """
    if clean is None or run is clean:
        return dict.fromkeys(DIFFERENCE) | {"effect": ""}
    pairs = zip(run.accuracies, clean.accuracies, strict=True)
    difference = Measured.of([lossy - whole for lossy, whole in pairs])
    values = (difference.mean, difference.spread, *difference.bounds)
    return dict(zip(DIFFERENCE, values, strict=True)) | {"effect": effect(difference)}


def loss_rate(setting: KnownAxes, blocks: float) -> tuple[float | None, str]:
    """Return the packet loss rate by formula, and which; bursts with retransmissions have none.

    Args:
        setting: block loss rate, mean burst length, retransmissions.
        blocks: n_b, the same for all packets of an uncompressed run.
    """
    if setting.burst == 1:
        return float(packet_loss_rate(setting.blr, blocks, setting.retransmissions)), EQ_18
    if setting.retransmissions == 0:
        return float(burst_packet_loss_rate(setting.blr, setting.burst, blocks)), GILBERT_ELLIOTT
    return None, ""
