"""FbFTL: what is sent, lost and compressed, what leaks, and the paper's numbers by its formulas."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from fbftl.plan import paths
from fbftl.plan.call import Call
from fbftl.plan.entries import Entry, Result, WrittenOut, axes, findings, printed
from fbftl.plan.paths import EXPERIMENT, TASK
from fbftl.study import methods

OF_EXPERIMENT: dict[str, list[Entry]] = {}

OF_EXPERIMENT["methods"] = [
    Result(
        "tabulate_fbftl_cost.methods", "cost", "Methods", printed(table3="fbftl/table3.csv"),
        also={"by_seed": "tables/uplink.csv"},
    ),
    Result(
        "plot_fbftl.uplink", "cost", "Uplink",
        {"by_seed": paths.table(TASK, "uplink")}, stem="methods",
    ),
]  # fmt: skip


SUMMARIES = Result(
    "tabulate_fbftl_cost.language", "cost", "Dialogue summaries by method",
    printed(table4="fbftl/table4.csv"), stem=EXPERIMENT,
)  # fmt: skip

SCARCE_DIALOGUES = Result(
    "plot_fbftl.language_scarcity", "loss", "Scarcity of dialogues",
    printed(fig9="fbftl/fig9.csv"), axes("fraction", "plr"), stem=EXPERIMENT,
)  # fmt: skip

OF_EXPERIMENT["language"] = [SUMMARIES]
OF_EXPERIMENT["language_cuts"] = [replace(SUMMARIES, title="Dialogue summaries by cut")]
OF_EXPERIMENT["language_scarcity"] = [SCARCE_DIALOGUES]
OF_EXPERIMENT["language_losses"] = [
    replace(SCARCE_DIALOGUES, title="Scarcity of dialogues at more loss rates")
]

OF_EXPERIMENT["scarcity"] = [
    Result(
        "tabulate_fbftl_loss.scarcity", "loss", "Scarcity", printed(fig8="fbftl/fig8.csv"),
        axes("fraction", "plr", "loss"),
    ),
    Result(
        "plot_fbftl.scarcity", "loss", "Scarcity",
        printed(fig8="fbftl/fig8.csv"), axes("fraction", "plr", "loss"),
    ),
]  # fmt: skip

OF_EXPERIMENT["compression"] = [
    Result(
        "tabulate_fbftl_loss.compression", "compression", "Compression",
        printed(table5="fbftl/table5.csv"), axes("fraction", "bits", "keep", "feedback"),
    ),
    Result("plot_fbftl.compression", "compression", "Compression"),
    Result("plot_fbftl.rate_distortion", "compression", "Rate and distortion"),
]  # fmt: skip

OF_EXPERIMENT["packet_loss"] = [
    Result(
        "tabulate_fbftl_loss.packet_loss", "loss", "Lossy link",
        params=axes("fraction", "blr", "burst", "retransmissions"),
    ),
    Result("plot_fbftl.packet_loss", "loss", "Lossy link"),
]  # fmt: skip

OF_EXPERIMENT["audit"] = [
    Result(
        "tabulate_fbftl_loss.habits", "audit", "Effects of the public script's choices",
        stem="effects",
    )
]  # fmt: skip

OF_EXPERIMENT["privacy"] = [
    Result(
        "tabulate_fbftl_privacy.privacy", "privacy", "Accuracy under a guarantee",
        printed(printed="fbftl/fig12.csv"),
        axes("samples_per_client", "mechanism", "epsilon", "label_epsilon"),
    ),
    Result("plot_fbftl.privacy", "privacy", "Accuracy under a guarantee"),
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

INVERTED = WrittenOut("tables/inverted", "privacy", "Inverted uploads by seed")

OF_EXPERIMENT["inverted"] = [INVERTED]

OF_EXPERIMENT["noise"] = [
    Result(
        "tabulate_fbftl_privacy.noise", "privacy", "Accuracy under relative noise",
        printed(printed="fbftl/notebook_noise.csv"), axes("mechanism", "sigma", "noise_draw"),
    ),
    Result("plot_fbftl.noise", "privacy", "Accuracy under relative noise"),
]  # fmt: skip


def dialogues_at_hand(call: Call) -> str | None:
    """Return SAMSum's training dialogues, for their true lengths, if the data folder has them."""
    folder = call.study.config["data_folder"]
    dialogues = Path(folder or "", "samsum", "train.jsonl")
    return str(dialogues) if folder and dialogues.exists() else None


def label_privacy(call: Call) -> dict[str, Any]:
    """Return the classes and partitions whose label privacy is drawn."""
    return call.study.config["label_privacy"]


def drawn_labels(call: Call) -> dict[str, Any]:
    """Return of these how many classes there are, and how often they are drawn."""
    return {key: label_privacy(call)[key] for key in ("classes", "repetitions")}


OF_NUMBERS: list[Entry] = [
    Result(
        "tabulate_fbftl_cost.paper_methods", "cost", "Table III",
        printed(table3="fbftl/table3.csv", setup="fbftl/setup.csv"),
        {"methods": methods.rows(["fl", "sfl", "ftl_f", "ftl_c", "fbftl"])}, stem="methods",
    ),
    Result(
        "tabulate_fbftl_cost.paper_language", "cost", "Table IV",
        printed(table4="fbftl/table4.csv", setup="fbftl/setup.csv")
        | {"dialogues": dialogues_at_hand},
        {"methods": methods.rows(["ftl_f", "ftl_c", "fbftl"])}, stem="language",
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
