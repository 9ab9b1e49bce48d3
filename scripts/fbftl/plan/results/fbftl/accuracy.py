"""FbFTL: what its methods send, and what loss and compression do to their accuracy."""

from fbftl.plan import paths
from fbftl.plan.entries import Entry, Result
from fbftl.plan.paths import TASK
from fbftl.plan.vocabulary import (
    AXES,
    CLIENTS,
    NETWORKS,
    RUNS_AND_LEDGERS,
    SETUP,
    SETUPS,
    SHOWN,
    TIDY,
    axes,
    printed,
    table_of,
)

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
