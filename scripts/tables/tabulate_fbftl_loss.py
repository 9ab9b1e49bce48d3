"""Tables of paper fbftl: fewer samples, lost packets, compressed messages, and the script's habits.

Each function returns one.
"""

from functools import cache
from operator import sub
from typing import Any

import numpy as np
import pandas as pd
from fbftl.findings import published
from fbftl.findings import tables as shared
from fbftl.findings.exchanged import Exchanged, read_all
from fbftl.findings.published import Measured, Setup, beside, differs, effect, effects_by, judged
from fbftl.findings.runs import (
    mean_and_spread,
    of_baseline,
    read_tidy,
    spread_of,
    varying,
    with_layout,
)
from fbftl.findings.sampling_error import with_test_set
from fbftl.findings.shown import SETTING_NAME, labelled, of_clients, shown
from fbftl.findings.steps import Axes, Methods, Paths
from fbftl.findings.style import DIVERGED
from fbftl.findings.tables import Column, ResultTable
from fbftl.findings.wording import axes_of
from fbftl.messages.channel import (
    GILBERT_ELLIOTT,
    burst_packet_loss_rate,
    expected_payload,
    packet_loss_rate,
)
from fbftl.messages.codec import Compression, kept_count
from fbftl.messages.codec.compression import PLAIN
from fbftl.models.cost.layers import Network, read_network
from fbftl.models.cost.payload import numbers_per_batch
from fbftl.papers.fbftl.effects import effects
from fbftl.study.job import KnownAxes

# --- scarcity -------------------------------------------------------------------------------------

AXES = ("fraction", "plr", "loss")
"""What the experiment is about."""

SCARCITY_COLUMNS = [
    Column("fraction", "Share of clients", format="{:g}", page=True),
    Column("plr", "Packet loss rate", format="{:g}", page=True),
    Column("offered", "Sent", "samples", "{:,.0f}"),
    Column("received", "Received", "samples", "{:,.0f}", page=True),
    *shared.accuracy("Accuracy, lost for good"),
    shared.UNDERTRAINED,
    shared.TEST_SET,
    *shared.with_spread(
        "accuracy_reshuffled", "Accuracy, reshuffled", spread="spread_reshuffled", page=True
    ),
    Column("seen_reshuffled", "Seen when reshuffled", "samples", "{:,.0f}"),
    Column("difference", "Difference", "points", shared.signed_points, page=True),
    Column("test_set_error_of_difference", "Test set ± of it, at most", format=shared.PERCENT),
    Column("effect", "Effect of reshuffling", page=True),
    shared.MAJORITY,
    *shared.SEED_COUNTS,
    Column("diverged_reshuffled", "Diverged when reshuffled", format="{:.0f}"),
    *shared.judged_against("CIFAR-10"),
]


def scarcity(
    runs: str, clients: str, fig8: str, setups: str, axes: Axes, setup: Setup
) -> ResultTable:
    """Tabulate accuracy against data fraction and packet loss rate under both loss semantics.

    Beside them is what the paper plots for all samples of its own task (Fig. 8). Where the
    experiment varies methods or further axes, each has rows of its own. What always answering the
    most frequent class scores is given beside all.

    Args:
        runs: an experiment's tidy table.
        clients: the task's client file.
        fig8: the published points.
        setups: the published setups.
        axes: those of scarcity, with their defaults.
        setup: the task's.
    """
    reason, read = differs(setup, setups, "cifar10"), read_tidy(runs, axes)
    table = beside_fig8(side_by_side(read), published.read(fig8), reason)
    sides = (table["accuracy_reshuffled"], table["accuracy"])
    table = with_test_set(table, clients, sides, majority=True)
    further = [Column(axis, shared.heading_of(axis)) for axis in varying(read, AXES)]
    return ResultTable(table.drop(columns="printed_for"), [*further, *SCARCITY_COLUMNS])


def side_by_side(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per fraction, packet loss rate and value of the further axes that vary.

    The difference is the accuracy that the public script's reshuffling adds to a loss that is
    for good (audit row A2). `printed_for` tells which rows are of FbFTL as the paper plots it.
    """
    keys = [*varying(runs, AXES), "fraction", "plr"]
    table = mean_and_spread(runs, [*keys, "loss"])
    lost = table[table["loss"] == "persistent"].drop(columns="loss")
    compared = [*keys, "accuracy", "spread", "seen", "seeds", "diverged"]
    shuffled = table[table["loss"] == "reshuffled"][compared]
    both = lost.merge(shuffled, on=keys, how="outer", suffixes=("", "_reshuffled"))
    ridge = both.get("ridge_accuracy", [None] * len(both))
    both["undertrained"] = list(map(shared.undertrained, both["accuracy"], ridge))
    both["seeds"] = both["seeds"].fillna(both.pop("seeds_reshuffled"))
    both["difference"] = both["accuracy_reshuffled"] - both["accuracy"]
    both = both.merge(of_reshuffling(runs, keys), on=keys, how="left")
    return both.sort_values(keys, ascending=[axis != "fraction" for axis in keys])


def is_plain(setting: str) -> bool:
    """Tell whether a setting is FbFTL that deviates in nothing but loss and participation."""
    axes = axes_of(setting)
    return axes["method"] == "fbftl" and axes.keys() <= {"method", *AXES}


def of_reshuffling(runs: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return, by key, what reshuffling does to accuracy, paired by seed.

    Beside it is whether all settings there are plain.
    """
    lost = of_baseline(runs, runs["loss"] == "persistent", [*keys, "seed"], "test_accuracy")
    gained = runs.assign(gained=runs["test_accuracy"] - lost)[runs["loss"] == "reshuffled"]
    plain = runs.assign(printed_for=runs["setting"].map(is_plain)).groupby(keys, dropna=False)
    effects = effects_by(gained, "gained", keys)[[*keys, "effect"]]
    return effects.merge(plain["printed_for"].all().reset_index(), how="right", on=keys)


def beside_fig8(table: pd.DataFrame, fig8: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Return the table with the plotted points of Fig. 8 where all samples take part, judged.

    The paper's curves for fewer samples are the tail of the same sweep (audit row A25), so they
    are no points of their own.
    """
    points = fig8[fig8["series"] == "plotted"].assign(fraction=1.0, printed_for=True)
    return judged(beside(table, points, ["fraction", "plr", "printed_for"]), reason)


# --- packet loss ----------------------------------------------------------------------------------


def rate(share: float) -> str:
    """Return a rate in percent with three digits."""
    return f"{100 * share:.3g}%"


EQ_18 = "Eq. (18)"

LINK = ("blr", "burst", "retransmissions")
"""Axes of the link."""

DIFFERENCE = ("difference", "difference_spread", "difference_lower", "difference_upper")
"""Accuracy less the method's own without loss, over seeds: mean, spread, Student's bounds."""

PACKET_LOSS_COLUMNS = [
    shared.METHOD,
    Column("blr", "Block loss rate", format="{:g}", page=True),
    Column("burst", "Mean burst", "blocks", "{:g}", page=True),
    Column("retransmissions", "Retransmissions, at most", page=True),
    Column("blocks", "Blocks per packet", format="{:.4g}"),
    Column("messages", "Packets sent", format="{:,.0f}"),
    Column("plr_ledger", "Packets lost", format=rate, page=True),
    Column("plr_formula", "Packets lost, by formula", format=rate),
    Column("attempts_ledger", "Attempts per block by ledger", format="{:.5f}"),
    Column("attempts_formula", "By Eq. (19)", format="{:.5f}"),
    *shared.accuracy(),
    shared.TEST_SET,
    *shared.difference("difference", "Accuracy against no loss"),
    Column("test_set_error_of_difference", "Test set ± of it, at most", format=shared.PERCENT),
    Column("effect", "Effect of the loss", page=True),
    *shared.SEED_COUNTS,
]


def packet_loss(
    runs: Paths, ledgers: Paths, clients: str, methods: Methods, axes: Axes
) -> ResultTable:
    """Tabulate losses and attempts in the ledgers beside Eq. (18) and (19), and what they cost.

    Args:
        runs: run files of the experiment.
        ledgers: the runs' ledgers, in the same order.
        clients: the task's client file.
        methods: the methods of the runs, in the order of the rows.
        axes: share of the clients, those of the link and the axes in which a run deviates, with
            their defaults.
    """
    read = read_all(runs, ledgers, axes)
    clean = {(run.method, run.setting.fraction): run for run in read if run.setting.blr == 0}
    table = pd.DataFrame([link_row(run) | against(run, clean) for run in read])
    keys = ["fraction", "method", *LINK]
    table = labelled(table, methods, keys, [axis != "fraction" for axis in keys])
    table["label"] += table["fraction"].map(of_clients)
    clean_accuracy = table["accuracy"] - table["difference"].astype(float)
    table = with_test_set(table, clients, (table["accuracy"], clean_accuracy))
    return ResultTable(table, PACKET_LOSS_COLUMNS)


def link_row(run: Exchanged) -> dict[str, Any]:
    """Return a setting's row: all packets of all seeds together, and the mean accuracy."""
    setting = run.setting
    last = [run.points] * len(run.seeds)
    messages, blocks, attempts, lost = (
        int(run.until("up", total, last).sum())
        for total in ("messages", "packets", "attempts", "lost")
    )
    expected, formula = loss_rate(setting, blocks / messages)
    return {
        **{axis: setting.values[axis] for axis in ("method", "fraction", *LINK)},
        "blocks": blocks / messages,
        "messages": messages,
        "plr_ledger": lost / messages,
        "plr_formula": expected,
        "formula": formula,
        "attempts_ledger": attempts / blocks,
        "attempts_formula": float(expected_payload(1, setting.blr, setting.retransmissions)),
        **run.summary(run.accuracies),
    }


def against(run: Exchanged, clean: dict[tuple[str, float], Exchanged]) -> dict[str, Any]:
    """Return what a method's accuracy is against its own without loss, seed by seed.

    Mean and spread, and Student's bounds. Empty for the run without loss itself, and where there is
    none.

    Args:
        run: the run.
        clean: those without loss, by method and share of the clients.
    """
    without = clean.get((run.method, run.setting.fraction), run)
    if run is without:
        return dict.fromkeys(DIFFERENCE) | {"effect": ""}
    difference = Measured.of(list(map(sub, run.accuracies, without.accuracies)))
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


# --- compression ----------------------------------------------------------------------------------


def compression(
    runs: Paths, ledgers: Paths, networks: Paths, clients: str, table5: str,
    setups: str, methods: Methods, axes: Axes, setup: Setup,
) -> ResultTable:  # fmt: skip
    """Tabulate accuracy and uplink against bits per element and keep ratio (paper, Table V).

    The csv is tidy, a row per setting. What readers see is arranged as the paper prints it: a block
    of methods for every q, a column for every r, the published accuracy in brackets.

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
    read, trained = read_all(runs, ledgers, axes), map(cache(read_network), networks)
    table = pd.DataFrame(
        [compression_row(run, layers) for run, layers in zip(read, trained, strict=True)]
    )
    table = beside_table5(table, published.read(table5), differs(setup, setups, "cifar10"))
    order = ["fraction", "method", "q", "r", "feedback"]
    table = labelled(table, methods, order, [axis == "method" for axis in order])
    table = with_test_set(table.drop(columns="label"), clients)
    labels = {name: method.label for name, method in shown(methods).items()}
    arranged, columns = as_printed(table, labels)
    return ResultTable(with_layout(table), columns, arranged)


def compression_row(run: Exchanged, network: Network) -> dict[str, Any]:
    """Return a setting's row: means over seeds.

    Args:
        run: the run and what it exchanged.
        network: that it trains, which says how many numbers (X) one of its messages has.
    """
    setting, elements = run.setting, numbers_per_batch(network, run.method)
    compressed = Compression(setting.bits, setting.keep) != PLAIN
    sent = run.until("up", "bits", run.selected)
    return {
        "method": setting.method,
        "fraction": setting.fraction,
        "q": setting.bits,
        "r": setting.keep,
        "feedback": setting.feedback if compressed and setting.method != "fbftl" else None,
        "elements": elements,
        "kept": kept_count(elements, setting.keep),
        **run.summary(run.accuracies),
        "epochs": float(np.mean(run.selected)),
        "uplink_bits": float(np.mean(sent)),
        "uplink_bits_spread": spread_of(sent),
    }


def beside_table5(table: pd.DataFrame, printed: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Add the published accuracy of the same method, q and r, judged.

    It is that of all clients with feedback on.
    """
    numbers = printed.rename(columns={"bits": "q", "keep": "r"})
    joined = beside(table, numbers, ["method", "q", "r"])
    joined.loc[joined["feedback"].eq(False) | (joined["fraction"] != 1), "printed"] = None
    return judged(joined, reason)


def as_printed(table: pd.DataFrame, labels: dict[str, str]) -> tuple[pd.DataFrame, list[Column]]:
    """Return the paper's arrangement of the tidy table, and its columns.

    A row has a share of the clients, q and method, one more those without error feedback, and the
    last ones how many elements each method keeps.

    Args:
        table: a row per setting.
        labels: of the methods, in the order of the rows.
    """
    placed = table.assign(place=table["method"].map(list(labels).index))
    placed = placed.assign(off=table["feedback"].eq(False)).sort_values(
        ["fraction", "q", "place", "off"], ascending=[False, False, True, True]
    )
    rows: dict[tuple[str, str], dict[float, str]] = {}
    for of in placed.to_dict("records"):
        block = f"q = {of['q']}{of_clients(of['fraction'])}"
        row = rows.setdefault((block, labels[of["method"]] + ", no error feedback" * of["off"]), {})
        spread = "" if pd.isna(of["spread"]) else f" ± {of['spread']:.1%}"
        paper = "" if pd.isna(of["published"]) else f" [{of['published']:.1%}]"
        cell = f"{of['accuracy']:.1%}{spread}{DIVERGED if of['diverged'] else ''}{paper}"
        # Settings that differ in a further axis share a cell; the csv has the axis.
        row[of["r"]] = " / ".join(filter(None, [row.get(of["r"]), cell]))
    ratios = sorted(table["r"].unique(), reverse=True)
    widths = table.drop_duplicates("method").set_index("method")["elements"]
    for method in [name for name in labels if name in widths]:
        counts = {ratio: f"{kept_count(int(widths[method]), ratio):,}" for ratio in ratios}
        rows["elements kept", labels[method]] = counts
    arranged = pd.DataFrame([{"block": b, "method": m} | cells for (b, m), cells in rows.items()])
    arranged["block"] = arranged["block"].mask(arranged["block"].duplicated(), "")
    columns = [Column("block", ""), Column("method", "Method")]
    columns += [Column(f"r={ratio:g}", f"r = {ratio:g} [paper, CIFAR-10]") for ratio in ratios]
    names = {ratio: f"r={ratio:g}" for ratio in ratios}
    arranged = arranged.fillna("").rename(columns=names)[[column.name for column in columns]]
    seeds = " or ".join(map(str, sorted(table["seeds"].unique())))
    return arranged.assign(seeds=seeds), [*columns, Column("seeds", "Seeds")]


# --- effects --------------------------------------------------------------------------------------

POINTS = "{:.2f}"

EFFECTS_COLUMNS = [
    Column("id", "Audit row", page=True),
    Column("finding", "In the public script", page=True),
    SETTING_NAME,
    Column("selection", "Epoch is picked", page=True),
    *shared.with_spread("released", "As released", "%", POINTS, page=True),
    *shared.with_spread("corrected", "Corrected", "%", POINTS, page=True),
    *shared.with_spread("difference", "Difference", "points", "{:+.2f}", page=True),
    *shared.SEED_COUNTS,
    Column("effect", "Effect", page=True),
    Column("section", "Argued in"),
]


def habits(runs: str) -> ResultTable:
    """Tabulate what the public script's habits do to accuracy, each beside its correction."""
    table = effects(read_tidy(runs)).reindex(columns=[column.name for column in EFFECTS_COLUMNS])
    return ResultTable(table, EFFECTS_COLUMNS)
