"""Tables of paper fbftl: what each method costs, beside Tables III and IV.

Each function returns one.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fbftl.findings import published
from fbftl.findings import tables as shared
from fbftl.findings.exchanged import COMMON, Exchanged, common_accuracy, read_methods, times, uplink
from fbftl.findings.published import Setup, beside, differs, judged
from fbftl.findings.runs import read_tidy, spread_of, write_tidy
from fbftl.findings.sampling_error import with_test_set
from fbftl.findings.shown import ShownMethod, labelled, shown
from fbftl.findings.steps import Axes, Methods, Paths
from fbftl.findings.tables import Column, ResultTable, prefixed, ratio
from fbftl.models.cost.compute import scheme_cost
from fbftl.models.cost.layers import Network, read_network
from fbftl.papers.fbftl import readings
from fbftl.papers.fbftl.setup import mean_tokens
from fbftl.papers.record import PaperRecord
from fbftl.training.curves import first_epoch_at

# --- methods --------------------------------------------------------------------------------------

METHODS_COLUMNS = [
    shared.METHOD,
    *shared.with_spread("epochs", "Epochs", format="{:.1f}", page=True),
    *shared.with_spread("upload_batches", "Upload batches", format="{:,.0f}"),
    Column("uplink_formula", "Uplink by formula", "bits", prefixed),
    *shared.with_spread("uplink_ledger", "Uplink, counted", "bits", prefixed),
    *shared.with_spread("uplink_sent", "All clients' uplink, as sent", "bits", prefixed, page=True),
    *shared.with_spread("downlink_ledger", "Downlink, counted", "bits", prefixed),
    Column("downlink_once", "Downlink of the extractor", "bits", prefixed),
    *shared.with_spread(
        "client_multiplications", "Multiplications of all clients", "", prefixed, page=True
    ),
    Column("server_multiplications", "Multiplications of the server", format=prefixed),
    *shared.accuracy(format="{:.2%}"),
    shared.TEST_SET,
    Column("test_set_error_to_fbftl", "Test set ± to FbFTL, at most", format="{:.1%}"),
    shared.UNDERTRAINED,
    shared.MAJORITY,
    shared.DIVERGED,
    shared.SEEDS,
    *shared.with_spread("times_fbftl", "Uplink over FbFTL's", format=ratio, page=True),
    Column("common_accuracy", "Accuracy that all methods reach in all seeds", format="{:.2%}"),
    *shared.with_spread("common_uplink", "Uplink to that accuracy", "bits", prefixed),
    *shared.with_spread("common_times_fbftl", "That uplink over FbFTL's", format=ratio),
    *shared.judged_against("CIFAR-10", format="{:.2%}"),
]


def methods(
    runs: Paths, ledgers: Paths, networks: Paths, clients: str, table3: str, setups: str, by_seed:
    str, methods: Methods, axes: Axes, setup: Setup,
) -> ResultTable:  # fmt: skip
    """Tabulate what every method costs until convergence (the rows of Table III) on a task.

    Formula and ledger are side by side: the formula counts the task's own traced layers, the ledger
    what was really sent. They differ by design where the equations leave something out: labels and
    message headers in the bits that were sent, and FTL_c's one-time broadcast of the extractor.
    Beside what each method costs until its own selected epoch is what it costs to the accuracy that
    all of them reach, and beside its accuracy what always answering the most frequent class scores.

    Args:
        runs: run files, one per method.
        ledgers: the runs' ledgers, in the same order.
        networks: descriptions of the networks that the runs train, in the same order.
        clients: the task's client file.
        table3: the published table, which is of CIFAR-10.
        setups: the published setups.
        by_seed: where each seed's uplink goes.
        methods: the methods of the runs, in the order of the rows.
        axes: axes in which a run deviates, with their defaults.
        setup: the task's.
    """
    exchanged = read_methods(runs, ledgers, axes)
    trained = dict(zip(exchanged, map(read_network, networks), strict=True))
    sent = uplink(exchanged)
    write_tidy(by_seed, sent)
    printed = published.read(table3)
    rows = pd.DataFrame(table_rows(shown(methods), exchanged, trained, set(printed["method"])))
    common = to_common_accuracy(sent, common_accuracy(exchanged))
    rows = rows.merge(common, how="left", on="method")
    is_fbftl = rows["method"] == "fbftl"
    to_fbftl = (rows["accuracy"].mask(is_fbftl), rows["accuracy"][is_fbftl].max())
    rows = with_test_set(rows, clients, to_fbftl, majority=True)
    rows = rows.rename(columns={"test_set_error_of_difference": "test_set_error_to_fbftl"})
    rows = beside(rows, printed[printed["quantity"] == "accuracy"], ["method"])
    return ResultTable(judged(rows, differs(setup, setups, "cifar10")), METHODS_COLUMNS)


def to_common_accuracy(sent: pd.DataFrame, accuracy: float) -> pd.DataFrame:
    """Return what each method needs to the accuracy that all reach: mean and spread over seeds."""
    groups = sent[sent["until"] == COMMON].groupby("method")
    parts = {"epoch": "epochs", "payload_bits": "uplink", "times_fbftl": "times_fbftl"}
    columns = {
        f"common_{name}{ending}": groups[column].agg(how)
        for column, name in parts.items()
        for ending, how in (("", "mean"), ("_spread", "std"))
    }
    return pd.DataFrame({"common_accuracy": accuracy, **columns}).reset_index()


def table_rows(
    methods: dict[str, ShownMethod], runs: dict[str, Exchanged], networks: dict[str, Network],
    printed: Container[str],
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Yield the table's rows, method by method.

    `fl_low` and `ftl_f_low` are those runs up to the first epoch at FTL_c's accuracy, seen on the
    mean test curve over seeds; they have no row if that is never reached.

    Args:
        methods: the methods, in the order of the rows.
        runs: a run of each.
        networks: the network of each.
        printed: names of the published table's rows, which say what the paper cuts short.
    """
    for name, method in methods.items():
        run = runs[name]
        reached = run.summary(run.accuracies)
        note = shared.undertrained(reached["accuracy"], run.measured("ridge_accuracy"))
        ends = [("", "", run.selected, reached | {"undertrained": note})]
        if f"{name}{readings.CUT_SHORT}" in printed and "ftl_c" in runs:
            target = float(np.mean(runs["ftl_c"].accuracies))
            if epoch := first_epoch_at(run.accuracy.mean(axis=0), target):
                short = run.summary(run.after(epoch))
                until = [epoch] * len(run.seeds)
                ends.append((readings.CUT_SHORT, readings.TO_ACCURACY, until, short))
        for ending, words, epochs, scores in ends:
            by_seed = costs_by_seed(method.cost, run, epochs, networks[name])
            by_seed["times_fbftl"] = times(run, epochs, runs.get("fbftl"))
            means = {name: None if of is None else mean(of) for name, of in by_seed.items()}
            spreads = {f"{name}_spread": spread_of(of) for name, of in by_seed.items()}
            named = {"method": f"{name}{ending}", "label": f"{method.label}{words}"}
            yield {**named, **means, **spreads, **scores}


BySeed = Sequence[int | Fraction] | None
"""A cost by seed; None where a formula has none."""


def costs_by_seed(
    scheme: str | None, run: Exchanged, epochs: list[int], network: Network
) -> dict[str, BySeed]:
    """Return what a run costs by seed, each counted up to the end of its own epoch.

    Args:
        scheme: whose formulas count it; none has none.
        run: the run and what it exchanged.
        epochs: the last epoch that counts, per seed.
        network: the network that it trains.
    """
    at_ends = zip(epochs, run.federations, strict=True) if scheme is not None else ()
    costs = [scheme_cost(network, clients, scheme, epoch) for epoch, clients in at_ends]

    def formula(name: str) -> BySeed:
        of_seeds = [getattr(cost, name) for cost in costs]
        return None if None in of_seeds else of_seeds or None

    return {
        "epochs": epochs,
        "upload_batches": formula("upload_batches"),
        "uplink_formula": formula("uplink_bits"),
        "uplink_ledger": run.until("up", "payload_bits", epochs),
        "uplink_sent": run.until("up", "bits", epochs),
        "downlink_formula": formula("downlink_bits"),
        "downlink_ledger": run.until("down", "payload_bits", epochs),
        "downlink_once": run.until("down", "payload_bits", [0] * len(epochs)),
        "client_multiplications": formula("client_multiplications"),
        "server_multiplications": formula("server_multiplications"),
    }


def mean(values: Iterable[int | Fraction]) -> int | float:
    """Return the exact mean of exact numbers, a float only if it is no whole number."""
    exact = [Fraction(value) for value in values]
    average = sum(exact) / len(exact)
    return int(average) if average.denominator == 1 else float(average)


# --- language -------------------------------------------------------------------------------------

ROUGE = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}

COUNTED = [
    "upload_batches", "numbers_per_batch", "uplink_payload_bits", "uplink_bits", "downlink_bits",
    "frozen_bits", "token_id_bits",
]  # fmt: skip
"""Means over seeds; the numbers of gradient methods differ with the epoch that each seed chose."""

LANGUAGE_COLUMNS = [
    shared.METHOD,
    Column("trained_encoders", "Trained encoders", "blocks", page=True),
    *shared.with_spread("upload_batches", "Upload batches", format="{:,.0f}"),
    Column("uplink_payload_bits", "Uplink, a vector per dialogue", "bits", prefixed, page=True),
    *shared.with_spread("uplink_bits", "Uplink, as sent", "bits", prefixed, page=True),
    Column("token_id_bits", "Uplink, as plain token ids", "bits", prefixed),
    *shared.with_spread("downlink_bits", "Downlink", "bits", prefixed, page=True),
    shared.FROZEN,
    *(
        column
        for name, heading in ROUGE.items()
        for column in shared.with_spread(name, heading, format="{:.1f}", page=name == "rouge1")
    ),
    *shared.SEED_COUNTS,
    *shared.judged_against("SAMSum", "Published ROUGE-1", "{:.1f}"),
]


def language(runs: str, table4: str, setups: str, methods: Methods, setup: Setup) -> ResultTable:
    """Tabulate what each method sends and how well it summarises: Table IV's rows for a task.

    *A vector per dialogue* is the paper's count: for FbFTL one of each, whatever its length (audit
    row A8). *As sent* is the length of the encoded messages. *As plain token ids* is what sending
    the dialogue itself would take, where features are a look-up of it (A18).

    Args:
        runs: the tidy table.
        table4: the published table, which is of SAMSum.
        setups: the published setups.
        methods: the methods, in the order of the rows.
        setup: the task's.
    """
    reason = differs(setup, setups, "samsum")
    table = beside_table4(by_method(read_tidy(runs)), published.read(table4), reason)
    by = ["trained_encoders", "method"]
    return ResultTable(labelled(table, methods, by, [False, True]), LANGUAGE_COLUMNS)


def by_method(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per method and number of trained encoders."""
    groups = runs.groupby(["method", "trained_encoders"])
    measured = [*COUNTED, *ROUGE]
    table = groups[measured].mean().join(groups[measured].std().add_suffix("_spread"))
    table = table.assign(seeds=groups["seed"].nunique(), diverged=groups["diverged"].sum())
    return table.reset_index()


def beside_table4(table: pd.DataFrame, table4: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Add the published ROUGE-1 of the same method and trained encoders, judged."""
    numbers = table4[table4["quantity"] == "rouge1"]
    joined = beside(table, numbers, ["method", "trained_encoders"])
    return judged(joined, reason, "rouge1", "rouge1_spread", places=0)


# --- paper methods --------------------------------------------------------------------------------


def paper_methods(table3: str | Path, setup: str | Path, methods: Methods) -> ResultTable:
    """Table III of the paper for VGG-16 on CIFAR-10: every published number beside its formula.

    Readers see those first that differ from it.

    Args:
        table3: `published/fbftl/table3.csv`.
        setup: `published/fbftl/setup.csv`.
        methods: those of the published table.
    """
    record = PaperRecord.of([table3, setup])
    rows = readings.against_published(record.published["table3"], readings.image_readings(record))
    columns = readings.columns(shown(methods).values())
    return ResultTable(rows, columns, rows.sort_values("verdict", kind="stable"))


# --- paper language -------------------------------------------------------------------------------


def paper_language(
    table4: str | Path, setup: str | Path, methods: Methods, dialogues: str | Path | None = None
) -> ResultTable:
    """Table IV of the paper for FLAN-T5-small on SAMSum: every published number beside its formula.

    Args:
        table4: `published/fbftl/table4.csv`.
        setup: `published/fbftl/setup.csv`.
        methods: those of the published table.
        dialogues: SAMSum's training dialogues as JSON lines; without them the rows that need real
            lengths are left out.
    """
    length = None if dialogues is None else mean_tokens(dialogues)
    record = PaperRecord.of([table4, setup], mean_tokens=length)
    parts = []
    for encoders in readings.TRAINED:
        cells, found = record.published["table4"], readings.language_readings(record, encoders)
        parts.append(readings.against_published(cells, found, trained_encoders=encoders))
    encoders_column = Column("trained_encoders", "Trained encoders", page=True)
    headed = readings.columns(shown(methods).values(), encoders_column)
    table = pd.concat(parts, ignore_index=True)
    return ResultTable(table, headed, table.sort_values("verdict", kind="stable"))
