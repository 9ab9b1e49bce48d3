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
        script="plot_fbftl.uplink",
    ),
]


def of_summaries(experiment: str, title: str) -> list[Entry]:
    """Return what is made of an experiment that summarises dialogues by method."""
    read = tidy(experiment) | printed(table4="fbftl/table4.csv") | SETUPS
    params = shown(experiment) | SETUP
    script = "tabulate_language"
    return [Result(f"tabulate_{experiment}", "cost", title, read, params, script=script)]


def of_scarce_dialogues(experiment: str, title: str) -> list[Entry]:
    """Return what is made of an experiment with fewer dialogues and with lost ones."""
    read = tidy(experiment) | printed(fig9="fbftl/fig9.csv")
    params = axes(experiment, "fraction", "plr")
    script = "plot_fbftl.language_scarcity"
    return [Result(f"plot_{experiment}", "loss", title, read, params, script=script)]


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
        script="plot_fbftl.scarcity",
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
        script="plot_fbftl.compression",
    ),
    Result(
        "plot_rate_distortion",
        "compression",
        "Rate and distortion",
        table_of("compression"),
        shown("compression"),
        script="plot_fbftl.rate_distortion",
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
    Result(
        "plot_packet_loss",
        "loss",
        "Lossy link",
        table_of("packet_loss"),
        shown("packet_loss"),
        script="plot_fbftl.packet_loss",
    ),
]

OF_EXPERIMENT["audit"] = [
    Result("tabulate_effects", "audit", "Habits of the script", tidy("audit"))
]
