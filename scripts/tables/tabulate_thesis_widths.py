"""Tables of paper thesis: networks and heads of several widths.

Each function returns one.
"""

from collections.abc import Mapping
from operator import sub
from typing import Any

import pandas as pd
from fbftl.data.clients import ClientFile
from fbftl.data.domains import name_of
from fbftl.findings import tables as shared
from fbftl.findings.published import Measured
from fbftl.findings.run_file import read_run
from fbftl.findings.shown import labelled
from fbftl.findings.steps import Axes, Methods, Paths
from fbftl.findings.tables import Column, ResultTable, prefixed
from fbftl.findings.wording import LAWS
from fbftl.messages.ledger import read_ledger
from fbftl.models.chain import chain_of, described
from fbftl.models.cost.layers import parameters, products
from fbftl.study.clients import domains_in
from fbftl.study.widths import narrowed

# --- widths ---------------------------------------------------------------------------------------

WIDTHS_COLUMNS = [
    shared.METHOD,
    Column("budgets", "Clients' widths", format=lambda law: LAWS.get(law, law), page=True),
    Column("budget_order", "Order", format=lambda order: order.replace("_", " ")),
    Column("rescaled_init", "Initial weights rescaled"),
    Column("rescaled_layers", "Layers rescaled"),
    Column("clients_per_round", "Clients in a round", format="{:g}"),
    Column("width", "Share of the full width", format="{:g}", page=True),
    *shared.accuracy(),
    *shared.difference("gap", "Accuracy over its full width's"),
    Column("parameters", "Parameters", format=prefixed, page=True),
    Column("multiplications", "Multiplications", format=prefixed),
    Column("uplink_bits", "Uplink of all clients, per round", "bits", prefixed, page=True),
    Column("client_bits", "Uplink of a client at this width", "bits", prefixed, page=True),
    *shared.SEED_COUNTS,
]
"""Uplink per round is of all clients together, and the same for every width that a run serves."""


def widths(
    runs: Paths, ledgers: Paths, clients: str,network: dict[str, Any],
    size: int | None, domains: list[Any], methods: Methods, axes: Axes,
) -> ResultTable:  # fmt: skip
    """Tabulate what each width of a network can do and costs, by method and by who can train what.

    Args:
        runs: run files of the experiment.
        ledgers: the runs' ledgers, in the same order.
        clients: the task's client file, for image and classes.
        network: block of the network whose widths these are.
        size: side of the images as they enter it, None if they are not resized.
        domains: of the task, as the configuration lists them.
        methods: the methods of the runs, in the order of the rows.
        axes: those of the widths, with their defaults.
    """
    with ClientFile(clients) as file:
        image, classes = file.image(), file.classes()
    entering = (size or image[0], size or image[1], image[2])
    names = [name_of(domain) for domain in domains_in(domains)]
    rows = []
    for run, ledger in zip(runs, ledgers, strict=True):
        document, messages = read_run(run), read_ledger(ledger, LEDGER).to_pandas()
        sent = messages[messages["direction"] == "up"]
        setting = axes | document["setting"]
        diverged = sum(repetition["diverged"] for repetition in document["repetitions"])
        if "budgets" not in document["repetitions"][0]:  # FedAvg's clients all train one width
            setting |= {"budgets": None, "budget_order": None}
        served = at_widths(document, setting["width"])
        for width, accuracies, by_domain in served:
            rows.append(
                {key: setting[key] for key in ("method", *WIDTH_AXES) if key in setting}
                | {"width": width}
                | summary(accuracies, served[-1][1] if len(served) > 1 else None)
                | costs(network, entering, classes, setting, width)
                | uplink(document, sent, width)
                | in_each(names, by_domain)
                | {"diverged": diverged}
            )
    table = pd.DataFrame(rows)
    by = ["method", *(axis for axis in WIDTH_AXES if axis in table), "width"]
    table = labelled(table, methods, by)
    in_domains = [c for name in names for c in shared.with_spread(name, shared.heading_of(name))]
    behind = 1 + [column.name for column in WIDTHS_COLUMNS].index("gap_spread")
    columns = [*WIDTHS_COLUMNS[:behind], *in_domains, *WIDTHS_COLUMNS[behind:]]
    rows = table.sort_values("width", ascending=False, kind="stable")
    if rows["budgets"].nunique() > 1:
        rows = rows.sort_values(["budgets", "budget_order"], na_position="first", kind="stable")
    rows = rows.assign(**rows[["gap", "gap_spread"]].mask(rows["width"] == 1))
    return ResultTable(table, [of for of in columns if of.name in table], rows)


def costs(
    network: Mapping[str, Any], image: tuple[int, int, int], classes: int,
    setting: Mapping[str, Any], width: float,
) -> dict[str, int]:  # fmt: skip
    """Return what predicting at a width takes: one network of it, or as many bases as make it."""
    mixed = setting["method"] == "splitmix"
    single_width = setting["width"] if mixed else width
    layers = described(chain_of(narrowed(network, single_width), image, classes))
    bases = round(width / single_width)
    return {"parameters": bases * parameters(layers), "multiplications": bases * products(layers)}


WIDTH_AXES = ("budget_order", "budgets", "rescaled_init", "rescaled_layers", "clients_per_round")
"""Axes that name a run beside its method; the last two only where an experiment varies them."""


def at_widths(
    run: Mapping[str, Any], single_width: float
) -> list[tuple[float, list[float], list[list[float]]]]:
    """Return each width that a run serves, its accuracy by seed, and by seed and domain.

    Args:
        run: document of a run file.
        single_width: the width of a run that serves one only.
    """
    prefix = "accuracy_x"
    widths = sorted(float(m.removeprefix(prefix)) for m in run["measures"] if m.startswith(prefix))
    served = [(w, f"accuracy_x{w:g}", f"domain_accuracy_x{w:g}") for w in widths]
    found = []
    for width, measure, series in served or [(single_width, "test_accuracy", "domain_accuracy")]:
        accuracies, by_domain = [], []
        for repetition in run["repetitions"]:
            counts, in_domains = not repetition["diverged"], repetition["series"].get(series, [])
            accuracies.append(repetition[measure] if counts else 0.0)
            by_domain.append(in_domains if counts else [0.0] * len(in_domains))
        found.append((width, accuracies, by_domain))
    return found


def summary(accuracies: list[float], widest: list[float] | None) -> dict[str, Any]:
    """Return mean and spread of accuracies, and of what they are more than at full width."""
    measured = Measured.of(accuracies)
    gap: dict[str, float | None] = {"gap": None, "gap_spread": None}
    if widest is not None:
        gap |= Measured.of(list(map(sub, accuracies, widest))).columns("gap")
    return measured.columns("accuracy", "spread") | gap | {"seeds": measured.seeds}


def in_each(names: list[str], accuracies: list[list[float]]) -> dict[str, float]:
    """Return mean and spread of accuracies, by seed and domain, in each domain.

    Without domains in a run there are none of them.
    """
    columns: dict[str, float] = {}
    for name, of_domain in zip(names, zip(*accuracies, strict=True), strict=False):
        columns |= Measured.of(of_domain).columns(name)
    return columns


LEDGER = ["seed", "round", "client", "direction", "bits"]
"""Columns that are read of a ledger."""


def uplink(run: Mapping[str, Any], sent: pd.DataFrame, width: float) -> dict[str, Any]:
    """Return the bits of a round, and those of a client that can train a width, by the ledger."""
    rounds = sent.groupby(["seed", "round"])["bits"].sum()
    columns: dict[str, Any] = {"uplink_bits": rounds.mean()}
    budgets = run["repetitions"][0].get("budgets")
    if budgets is None:
        return columns | {"client_bits": sent["bits"].mean(), "clients": sent["client"].nunique()}
    able = [
        (repetition["seed"], client)
        for repetition in run["repetitions"]
        for client, budget in enumerate(repetition["budgets"])
        if budget == width
    ]
    mine = sent[pd.MultiIndex.from_frame(sent[["seed", "client"]]).isin(able)]
    bits = mine["bits"].mean() if len(mine) else None
    return columns | {"client_bits": bits, "clients": budgets.count(width)}
