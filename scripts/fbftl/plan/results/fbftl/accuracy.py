"""FbFTL: what its methods send, and what loss and compression do to their accuracy."""

from fbftl.plan import paths
from fbftl.plan.entries import Entry, Result
from fbftl.plan.paths import TASK
from fbftl.plan.vocabulary import (
    CLIENTS,
    SETUP,
    SETUPS,
    axes,
    networks,
    printed,
    runs_and_ledgers,
    shown,
    table_of,
    tidy,
)

OF_EXPERIMENT: dict[str, list[Entry]] = {}


OF_EXPERIMENT["methods"] = [
    Result(
        "tabulate_fbftl_cost.methods",
        "cost",
        "Methods",
        CLIENTS
        | runs_and_ledgers("methods")
        | networks("methods")
        | printed(table3="fbftl/table3.csv")
        | SETUPS,
        shown("methods") | axes("methods") | SETUP,
        also={"by_seed": "tables/uplink.csv"},
    ),
    Result(
        "plot_fbftl.uplink",
        "cost",
        "Uplink",
        runs_and_ledgers("methods") | {"by_seed": paths.table(TASK, "uplink")},
        shown("methods") | axes("methods"),
        stem="methods",
    ),
]


def of_summaries(experiment: str, title: str) -> list[Entry]:
    """Return what is made of an experiment that summarises dialogues by method."""
    read = tidy(experiment) | printed(table4="fbftl/table4.csv") | SETUPS
    params = shown(experiment) | SETUP
    return [Result("tabulate_fbftl_cost.language", "cost", title, read, params, stem=experiment)]


def of_scarce_dialogues(experiment: str, title: str) -> list[Entry]:
    """Return what is made of an experiment with fewer dialogues and with lost ones."""
    read = tidy(experiment) | printed(fig9="fbftl/fig9.csv")
    params = axes(experiment, "fraction", "plr")
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
        "tabulate_fbftl_loss.scarcity",
        "loss",
        "Scarcity",
        CLIENTS | tidy("scarcity") | printed(fig8="fbftl/fig8.csv") | SETUPS,
        axes("scarcity", "fraction", "plr", "loss") | SETUP,
    ),
    Result(
        "plot_fbftl.scarcity",
        "loss",
        "Scarcity",
        tidy("scarcity") | printed(fig8="fbftl/fig8.csv"),
        axes("scarcity", "fraction", "plr", "loss"),
    ),
]

OF_EXPERIMENT["compression"] = [
    Result(
        "tabulate_fbftl_loss.compression",
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
        "plot_fbftl.compression",
        "compression",
        "Compression",
        table_of("compression"),
        shown("compression"),
    ),
    Result(
        "plot_fbftl.rate_distortion",
        "compression",
        "Rate and distortion",
        table_of("compression"),
        shown("compression"),
    ),
]

OF_EXPERIMENT["packet_loss"] = [
    Result(
        "tabulate_fbftl_loss.packet_loss",
        "loss",
        "Lossy link",
        runs_and_ledgers("packet_loss") | CLIENTS,
        shown("packet_loss") | axes("packet_loss", "fraction", "blr", "burst", "retransmissions"),
    ),
    Result(
        "plot_fbftl.packet_loss",
        "loss",
        "Lossy link",
        table_of("packet_loss"),
        shown("packet_loss"),
    ),
]

OF_EXPERIMENT["audit"] = [
    Result(
        "tabulate_fbftl_loss.habits",
        "audit",
        "Effects of the public script's choices",
        tidy("audit"),
        stem="effects",
    )
]
