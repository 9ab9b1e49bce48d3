"""Tabulate accuracy and uplink against bits per element and keep ratio (paper, Table V).

The csv is tidy, a row per setting. What readers see is arranged as the paper prints it: a block
of methods for every q, a column for every r, the published accuracy in brackets.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from fbftl.cost.layers import read_network
from fbftl.cost.payload import numbers_per_batch
from fbftl.findings import published
from fbftl.findings.exchanged import Exchanged, read_exchanged
from fbftl.findings.printed import beside, judged
from fbftl.findings.runs import with_layout
from fbftl.findings.sampling_error import error_of, size_of_test_set
from fbftl.findings.setups import Setup, differs
from fbftl.findings.shown import of_clients, shown
from fbftl.findings.style import DIVERGED
from fbftl.findings.tables import Column, ResultTable
from fbftl.messages.codec import Compression, kept_count
from fbftl.messages.codec.compression import PLAIN
from fbftl.study.memory import memory_bytes

SAMPLED = (
    "nominal_bits",
    "packed_bits",
    "entropy_coded_bits",
    "limit_bits",
    "model_bits",
    "distortion",
)
"""Measured on a sample of the messages in the training job, see `fbftl.messages.sample`."""


def main(
    runs: list[str], ledgers: list[str], networks: list[str], clients: str, table5: str,
    setups: str, methods: list[dict[str, Any]], axes: dict[str, Any], setup: Setup,
) -> ResultTable:  # fmt: skip
    """Return the table.

    Args:
        runs: run files of the experiment.
        ledgers: the runs' ledgers, in the same order.
        networks: descriptions of the networks that the runs train, in the same order.
        clients: the task's client file.
        table5: the published table, which is of CIFAR-10.
        setups: the published setups.
        methods: the methods of the runs, in the order of the rows.
        axes: share of the clients, q, r, feedback and the axes in which a run deviates, with
            their defaults.
        setup: the task's.
    """
    read = [read_exchanged(run, ledger, axes) for run, ledger in zip(runs, ledgers, strict=True)]
    trained = map(cache(read_network), networks)
    table = pd.DataFrame(
        [
            row(run, numbers_per_batch(layers, run.method))
            for run, layers in zip(read, trained, strict=True)
        ]
    )
    table = beside_published(table, published.read(table5), differs(setup, setups, "cifar10"))
    labels = {name: method.label for name, method in shown(methods).items()}
    order = list(labels)
    table = table.sort_values(
        ["fraction", "method", "q", "r", "feedback"],
        ascending=[False, True, False, False, False],
        key=lambda column: column.map(order.index) if column.name == "method" else column,
        na_position="first",
    )
    table["test_set_error"] = error_of(table["accuracy"], size_of_test_set(clients))
    arranged, columns = as_printed(table, labels)
    return ResultTable(with_layout(table), columns, arranged)


def row(run: Exchanged, elements: int) -> dict[str, Any]:
    """Return a setting's row: means over seeds and messages.

    Args:
        run: the run and what it exchanged.
        elements: X, numbers in one of its messages.
    """
    setting = run.setting
    compressed = Compression(setting.bits, setting.keep) != PLAIN
    updates_compressed = compressed and setting.method != "fbftl"
    with_feedback = updates_compressed and setting.feedback
    clients = run.repetitions[0]["clients"]
    sent = {
        total: run.until("up", total, run.selected)
        for total in ("messages", "payload_bits", "bits")
    }
    return {
        "method": setting.method,
        "fraction": setting.fraction,
        "q": setting.bits,
        "r": setting.keep,
        "feedback": setting.feedback if updates_compressed else None,
        "elements": elements,
        "kept": kept_count(elements, setting.keep),
        "memory_bytes": memory_bytes(clients, elements) if with_feedback else None,
        "payload_bits": float(np.mean(sent["payload_bits"] / sent["messages"])),
        "sent_bits": float(np.mean(sent["bits"] / sent["messages"])),
        **{f"sampled_{name}": run.measured(name) for name in SAMPLED},
        **run.summary(run.accuracies),
        "epochs": float(np.mean(run.selected)),
        "messages": float(np.mean(sent["messages"])),
        "uplink_payload_bits": float(np.mean(sent["payload_bits"])),
        "uplink_payload_bits_spread": spread(sent["payload_bits"]),
        "uplink_bits": float(np.mean(sent["bits"])),
        "uplink_bits_spread": spread(sent["bits"]),
    }


def spread(values: np.ndarray) -> float | None:
    """Return the standard deviation over seeds; None for a single one."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def beside_published(table: pd.DataFrame, printed: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Add the published accuracy of the same method, q and r, judged.

    It is that of all clients with feedback on.
    """
    numbers = printed.rename(columns={"bits": "q", "keep": "r"})
    joined = beside(table, numbers, ["method", "q", "r"])
    joined.loc[joined["feedback"].eq(False) | (joined["fraction"] != 1), "printed"] = None
    return judged(joined, reason)


def as_printed(table: pd.DataFrame, labels: dict[str, str]) -> tuple[pd.DataFrame, list[Column]]:
    """Return the paper's arrangement of the tidy table, and its columns.

    Args:
        table: a row per setting.
        labels: of the methods, in the order of the rows.
    """
    ratios = sorted(table["r"].unique(), reverse=True)
    rows = pd.DataFrame([*_accuracies(table, ratios, labels), *_kept(table, ratios, labels)])
    columns = [Column("block", ""), Column("method", "Method")]
    return rows, columns + [
        Column(f"r={ratio:g}", f"r = {ratio:g} [paper, CIFAR-10]") for ratio in ratios
    ]


def _accuracies(
    table: pd.DataFrame, ratios: list[float], labels: dict[str, str]
) -> Iterator[dict[str, str]]:
    """Yield a row per share of the clients, q and method, and one more without error feedback."""
    shares = sorted(table["fraction"].unique(), reverse=True)
    for share, bits in product(shares, sorted(table["q"].unique(), reverse=True)):
        alike = table[(table["fraction"] == share) & (table["q"] == bits)]
        block = f"q = {bits}" + of_clients(share)
        for method, (feedback, note) in product(labels, ((True, ""), (False, ", no feedback"))):
            off = alike["feedback"].eq(False)
            of_method = alike[(alike["method"] == method) & (off != feedback)]
            if len(of_method):
                cells = {f"r={cell['r']:g}": _cell(cell) for _, cell in of_method.iterrows()}
                yield {"block": block, "method": labels[method] + note} | _full(cells, ratios)
                block = ""


def _cell(cell: pd.Series) -> str:
    spread = "" if pd.isna(cell["spread"]) else f" ± {cell['spread']:.1%}"
    paper = "" if pd.isna(cell["published"]) else f" [{cell['published']:.1%}]"
    return f"{cell['accuracy']:.1%}{spread}{DIVERGED if cell['diverged'] else ''}{paper}"


def _kept(
    table: pd.DataFrame, ratios: list[float], labels: dict[str, str]
) -> Iterator[dict[str, str]]:
    """Yield how many elements each method keeps."""
    block = "elements kept"
    for method in labels:
        of_method = table[table["method"] == method]
        if len(of_method):
            width = int(of_method["elements"].iloc[0])
            cells = {f"r={ratio:g}": f"{kept_count(width, ratio):,}" for ratio in ratios}
            yield {"block": block, "method": labels[method]} | cells
            block = ""


def _full(cells: dict[str, str], ratios: list[float]) -> dict[str, str]:
    return {f"r={ratio:g}": cells.get(f"r={ratio:g}", "") for ratio in ratios}
