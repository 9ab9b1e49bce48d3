"""FbFTL: what is sent, lost and compressed, what leaks, and the paper's numbers by its formulas."""

from pathlib import Path
from typing import Any

from fbftl.plan import paths
from fbftl.plan.call import Call
from fbftl.plan.entries import (
    AXES,
    CLAIMS_OF_PAPER,
    CLIENTS,
    GUARANTEES,
    NETWORKS,
    RUNS_AND_LEDGERS,
    SETUP,
    SETUPS,
    SHOWN,
    TIDY,
    Entry,
    Result,
    WrittenOut,
    axes,
    findings,
    printed,
    table_of,
)
from fbftl.plan.paths import TASK
from fbftl.study import methods

OF_EXPERIMENT: dict[str, list[Entry]] = {}

OF_EXPERIMENT["methods"] = [
    Result(
        "tabulate_fbftl_cost.methods", "cost", "Methods",
        CLIENTS | RUNS_AND_LEDGERS | NETWORKS | printed(table3="fbftl/table3.csv") | SETUPS,
        SHOWN | AXES | SETUP, also={"by_seed": "tables/uplink.csv"},
    ),
    Result(
        "plot_fbftl.uplink", "cost", "Uplink",
        RUNS_AND_LEDGERS | {"by_seed": paths.table(TASK, "uplink")}, SHOWN | AXES, stem="methods",
    ),
]  # fmt: skip


def of_summaries(experiment: str, title: str) -> list[Entry]:
    """Return what is made of an experiment that summarises dialogues by method."""
    read = TIDY | printed(table4="fbftl/table4.csv") | SETUPS
    params = SHOWN | SETUP
    return [Result("tabulate_fbftl_cost.language", "cost", title, read, params, stem=experiment)]


def of_scarce_dialogues(experiment: str, title: str) -> list[Entry]:
    """Return what is made of an experiment with fewer dialogues and with lost ones."""
    read = TIDY | printed(fig9="fbftl/fig9.csv")
    params = axes("fraction", "plr")
    return [Result("plot_fbftl.language_scarcity", "loss", title, read, params, stem=experiment)]


OF_EXPERIMENT["language"] = of_summaries("language", "Dialogue summaries by method")
OF_EXPERIMENT["language_cuts"] = of_summaries("language_cuts", "Dialogue summaries by cut")
OF_EXPERIMENT["language_scarcity"] = of_scarce_dialogues(
    "language_scarcity", "Scarcity of dialogues"
)
OF_EXPERIMENT["language_losses"] = of_scarce_dialogues(
    "language_losses", "Scarcity of dialogues at more loss rates"
)

OF_EXPERIMENT["scarcity"] = [
    Result(
        "tabulate_fbftl_loss.scarcity", "loss", "Scarcity",
        CLIENTS | TIDY | printed(fig8="fbftl/fig8.csv") | SETUPS,
        axes("fraction", "plr", "loss") | SETUP,
    ),
    Result(
        "plot_fbftl.scarcity", "loss", "Scarcity",
        TIDY | printed(fig8="fbftl/fig8.csv"), axes("fraction", "plr", "loss"),
    ),
]  # fmt: skip

OF_EXPERIMENT["compression"] = [
    Result(
        "tabulate_fbftl_loss.compression", "compression", "Compression",
        CLIENTS | RUNS_AND_LEDGERS | NETWORKS | printed(table5="fbftl/table5.csv") | SETUPS,
        SHOWN | axes("fraction", "bits", "keep", "feedback") | SETUP,
    ),
    Result("plot_fbftl.compression", "compression", "Compression", table_of("compression"), SHOWN),
    Result(
        "plot_fbftl.rate_distortion", "compression", "Rate and distortion",
        table_of("compression"), SHOWN,
    ),
]  # fmt: skip

OF_EXPERIMENT["packet_loss"] = [
    Result(
        "tabulate_fbftl_loss.packet_loss", "loss", "Lossy link",
        RUNS_AND_LEDGERS | CLIENTS, SHOWN | axes("fraction", "blr", "burst", "retransmissions"),
    ),
    Result("plot_fbftl.packet_loss", "loss", "Lossy link", table_of("packet_loss"), SHOWN),
]  # fmt: skip

OF_EXPERIMENT["audit"] = [
    Result(
        "tabulate_fbftl_loss.habits", "audit", "Effects of the public script's choices",
        TIDY, stem="effects",
    )
]  # fmt: skip

OF_EXPERIMENT["privacy"] = [
    Result(
        "tabulate_fbftl_privacy.privacy", "privacy", "Accuracy under a guarantee",
        CLIENTS | TIDY | GUARANTEES | printed(printed="fbftl/fig12.csv") | SETUPS,
        axes("samples_per_client", "mechanism", "epsilon", "label_epsilon") | SETUP,
    ),
    Result(
        "plot_fbftl.privacy", "privacy", "Accuracy under a guarantee", table_of("privacy"), SHOWN
    ),
    Result(
        "tabulate_attacks.attacks", "privacy", "What an adversary gets",
        findings("features", "membership", "labels"),
    ),
    Result(
        "tabulate_attacks.membership", "privacy", "Membership attacks on heads",
        {"attempts": paths.findings(TASK, "membership_by_attack")},
    ),
    WrittenOut("figures/inversion", "privacy", "Pictures from uploads"),
]  # fmt: skip

INVERTED = WrittenOut("tables/inverted", "privacy", "Inverted uploads by seed", by_seed=True)

OF_EXPERIMENT["inverted"] = [INVERTED]

OF_EXPERIMENT["noise"] = [
    Result(
        "tabulate_fbftl_privacy.noise", "privacy", "Accuracy under relative noise",
        CLIENTS | TIDY | printed(printed="fbftl/notebook_noise.csv") | SETUPS,
        axes("mechanism", "sigma", "noise_draw") | SETUP,
    ),
    Result(
        "plot_fbftl.noise", "privacy", "Accuracy under relative noise", table_of("noise"), SHOWN
    ),
]  # fmt: skip


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


OF_PAPER: list[Entry] = [
    *CLAIMS_OF_PAPER,
    Result(
        "tabulate_fbftl_cost.paper_methods", "cost", "Table III",
        printed(table3="fbftl/table3.csv", setup="fbftl/setup.csv"),
        {"methods": methods.rows(["fl", "sfl", "ftl_f", "ftl_c", "fbftl"])}, stem="methods",
    ),
    Result(
        "tabulate_fbftl_cost.paper_language", "cost", "Table IV",
        printed(table4="fbftl/table4.csv", setup="fbftl/setup.csv"),
        {"methods": methods.rows(["ftl_f", "ftl_c", "fbftl"])}, stem="language",
        optional=dialogues_at_hand,
    ),
    Result(
        "plot_fbftl_formulas.packet_loss", "loss", "Packet loss",
        params={"methods": methods.rows(["fl", "ftl_f", "ftl_c", "fbftl"])}, stem="packet_loss",
    ),
    Result(
        "plot_fbftl_formulas.retransmission", "loss", "Retransmission",
        params={"methods": methods.rows(["fl", "fbftl"])},
    ),
    Result(
        "plot_fbftl_formulas.label_privacy", "privacy", "Label privacy",
        printed(printed="fbftl/fig11.csv"), {"setting": label_privacy},
    ),
    Result(
        "tabulate_fbftl_privacy.label_privacy", "privacy", "Label privacy",
        {"numbers": paths.of_paper("fbftl", "figures/label_privacy.csv")},
        {"setting": drawn_labels},
    ),
]  # fmt: skip
