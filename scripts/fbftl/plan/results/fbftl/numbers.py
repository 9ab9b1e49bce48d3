"""FbFTL's own numbers: the paper's tables and figures by its formulas."""

from pathlib import Path
from typing import Any

from fbftl.plan import paths
from fbftl.plan.call import Call
from fbftl.plan.entries import CLAIMS_OF_PAPER, Entry, Result
from fbftl.plan.vocabulary import printed
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
