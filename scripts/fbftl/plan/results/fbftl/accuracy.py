"""FbFTL: what its methods send, and what loss and compression do to their accuracy."""

from fbftl.plan import paths
from fbftl.plan.entries import Entry, Result, WrittenOut
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
