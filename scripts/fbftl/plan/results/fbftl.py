"""FbFTL: what its methods send, what loss, compression and guarantees do to it, and its own numbers."""

from pathlib import Path
from typing import Any

from fbftl.plan import paths
from fbftl.plan.call import Call
from fbftl.plan.entries import OF_SENTENCES, Entry, Result, WrittenOut
from fbftl.plan.paths import TASK
from fbftl.plan.vocabulary import (
    CLIENTS,
    SETUP,
    SETUPS,
    axes,
    findings,
    guarantees,
    networks,
    of_task,
    printed,
    runs_and_ledgers,
    shown,
    table_of,
    tidy,
)
from fbftl.study import methods


def dialogues_at_hand(call: Call) -> dict[str, str]:
    """Return SAMSum's training dialogues, for their true lengths, if the data folder has them."""
    folder = call.study.config["data_folder"]
    dialogues = Path(folder or "", "samsum", "train.jsonl")
    return {"dialogues": str(dialogues)} if folder and dialogues.exists() else {}


def label_privacy(call: Call) -> dict[str, Any]:
    """Return the classes and partitions whose label privacy is drawn."""
    return call.study.config["label_privacy"]


def drawn_labels(call: Call) -> dict[str, Any]:
    """Return of these how many classes there are, and how often they are drawn."""
    return {key: label_privacy(call)[key] for key in ("classes", "repetitions")}


OF_EXPERIMENT: dict[str, list[Entry]] = {}

OF_EXPERIMENT["methods"] = [
    WrittenOut("tables/methods", "cost", "Methods"),
    Result(
        "plot_uplink",
        "cost",
        "Uplink",
        runs_and_ledgers("methods") | {"by_seed": paths.table(TASK, "uplink")},
        shown("methods") | axes("methods"),
        stem="methods",
    ),
]

OF_EXPERIMENT["language"] = [
    Result(
        "tabulate_language",
        "cost",
        "Dialogue summaries by method",
        tidy("language") | printed(table4="fbftl/table4.csv") | SETUPS,
        shown("language") | SETUP,
    )
]

OF_EXPERIMENT["language_scarcity"] = [
    Result(
        "plot_language_scarcity",
        "loss",
        "Scarcity of dialogues",
        tidy("language_scarcity") | printed(fig9="fbftl/fig9.csv"),
        axes("language_scarcity", "fraction", "plr"),
    )
]

OF_EXPERIMENT["scarcity"] = [
    Result(
        "tabulate_scarcity",
        "loss",
        "Scarcity",
        CLIENTS | tidy("scarcity") | printed(fig8="fbftl/fig8.csv") | SETUPS,
        axes("scarcity", "fraction", "plr", "loss") | SETUP,
    ),
    Result(
        "plot_scarcity",
        "loss",
        "Scarcity",
        tidy("scarcity") | printed(fig8="fbftl/fig8.csv"),
        axes("scarcity", "fraction", "plr", "loss"),
    ),
]

OF_EXPERIMENT["compression"] = [
    Result(
        "tabulate_compression",
        "compression",
        "Compression",
        CLIENTS
        | runs_and_ledgers("compression")
        | networks("compression")
        | printed(table5="fbftl/table5.csv")
        | SETUPS,
        shown("compression") | axes("compression", "fraction", "bits", "keep", "feedback") | SETUP,
    ),
    Result(
        "plot_compression",
        "compression",
        "Compression",
        table_of("compression"),
        shown("compression"),
    ),
    Result(
        "plot_rate_distortion",
        "compression",
        "Rate and distortion",
        table_of("compression"),
        shown("compression"),
    ),
]

OF_EXPERIMENT["packet_loss"] = [
    Result(
        "tabulate_packet_loss",
        "loss",
        "Lossy link",
        runs_and_ledgers("packet_loss") | CLIENTS,
        shown("packet_loss") | axes("packet_loss", "fraction", "blr", "burst", "retransmissions"),
    ),
    Result("plot_packet_loss", "loss", "Lossy link", table_of("packet_loss"), shown("packet_loss")),
]

OF_EXPERIMENT["audit"] = [
    Result("tabulate_effects", "audit", "Habits of the script", tidy("audit"))
]

OF_EXPERIMENT["privacy"] = [
    Result(
        "tabulate_privacy",
        "privacy",
        "Accuracy under a guarantee",
        CLIENTS
        | tidy("privacy")
        | guarantees("privacy")
        | printed(printed="fbftl/fig12.csv")
        | SETUPS,
        axes("privacy", "samples_per_client", "mechanism", "epsilon", "label_epsilon") | SETUP,
    ),
    Result(
        "plot_privacy",
        "privacy",
        "Accuracy under a guarantee",
        table_of("privacy"),
        shown("privacy"),
    ),
    Result(
        "tabulate_attacks",
        "privacy",
        "What an adversary gets",
        findings("features", "membership", "labels"),
    ),
    Result(
        "tabulate_membership",
        "privacy",
        "Membership attacks on heads",
        {"attempts": paths.findings(TASK, "membership_by_attack")},
    ),
    WrittenOut("figures/inversion", "privacy", "Pictures from uploads"),
    Result(
        "tabulate_label_leakage",
        "privacy",
        "Label leakage of the partition",
        CLIENTS,
        {"block": of_task("clients")},
    ),
]

INVERTED = WrittenOut("tables/inverted", "privacy", "Inverted uploads by seed")

OF_EXPERIMENT["inverted"] = [INVERTED]

OF_EXPERIMENT["noise"] = [
    Result(
        "tabulate_noise",
        "privacy",
        "Accuracy under relative noise",
        CLIENTS | tidy("noise") | printed(printed="fbftl/notebook_noise.csv") | SETUPS,
        axes("noise", "mechanism", "sigma", "noise_draw") | SETUP,
    ),
    Result(
        "plot_noise", "privacy", "Accuracy under relative noise", table_of("noise"), shown("noise")
    ),
]

OF_PAPER: list[Entry] = [
    *OF_SENTENCES,
    Result(
        "tabulate_paper_methods",
        "cost",
        "Table III",
        printed(table3="fbftl/table3.csv", setup="fbftl/setup.csv"),
        {"methods": methods.rows(["fl", "sfl", "ftl_f", "ftl_c", "fbftl"])},
        stem="methods",
    ),
    Result(
        "tabulate_paper_language",
        "cost",
        "Table IV",
        printed(table4="fbftl/table4.csv", setup="fbftl/setup.csv"),
        {"methods": methods.rows(["ftl_f", "ftl_c", "fbftl"])},
        stem="language",
        optional=dialogues_at_hand,
    ),
    Result(
        "plot_paper_packet_loss",
        "loss",
        "Packet loss",
        params={"methods": methods.rows(["fl", "ftl_f", "ftl_c", "fbftl"])},
        stem="packet_loss",
    ),
    Result(
        "plot_retransmission",
        "loss",
        "Retransmission",
        params={"methods": methods.rows(["fl", "fbftl"])},
    ),
    Result(
        "plot_label_privacy",
        "privacy",
        "Label privacy",
        printed(printed="fbftl/fig11.csv"),
        {"setting": label_privacy},
    ),
    Result(
        "tabulate_label_privacy",
        "privacy",
        "Label privacy",
        {"numbers": paths.of_paper("fbftl", "figures/label_privacy.csv")},
        {"setting": drawn_labels},
    ),
]
