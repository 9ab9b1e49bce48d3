"""Thesis: models of every width, and of one that is robust too."""

from typing import Any

from fbftl.plan.entries import Entry, Result
from fbftl.plan.vocabulary import (
    CLIENTS,
    DOMAINS,
    RUNS_AND_LEDGERS,
    SHOWN,
    TIDY,
    axes,
    of_task,
    table_of,
)
from fbftl.study.config import Study


def network_of(study: Study, task: str, experiment: str) -> dict[str, Any]:
    """Return the block of the network whose widths an experiment compares."""
    (name,) = {setting.network for setting in study.settings[task][experiment].values()}
    return study.task(task)["networks"][name]


OF_EXPERIMENT: dict[str, list[Entry]] = {}


OF_EXPERIMENT["robust"] = [
    Result("plot_thesis_widths.robust", "cost", "Robustness", TIDY, axes("disturbed_normalisation"))
]


def table_of_widths(experiment: str, title: str, *further: str) -> Result:
    """Return the table of an experiment with models of several widths; further axes may be read."""
    params = {"network": network_of, "size": of_task("features", "size")} | DOMAINS | SHOWN
    params |= axes("width", "budgets", "budget_order", "rescaled_init", *further)
    return Result(
        "tabulate_thesis_widths.widths", "cost", title,
        RUNS_AND_LEDGERS | CLIENTS, params, stem=experiment,
    )  # fmt: skip


OF_EXPERIMENT["widths"] = [
    table_of_widths("widths", "Widths", "rescaled_layers"),
    Result("plot_thesis_widths.widths", "cost", "Widths", table_of("widths"), SHOWN),
    Result("plot_thesis_widths.domains", "cost", "Domains", table_of("widths"), DOMAINS | SHOWN),
]

OF_EXPERIMENT["width_laws"] = [
    table_of_widths("width_laws", "Widths under laws of budgets", "clients_per_round"),
    Result(
        "plot_thesis_widths.width_laws", "cost", "Widths under laws of budgets",
        table_of("width_laws"), SHOWN,
    ),
]  # fmt: skip

OF_EXPERIMENT["width_classes"] = [
    table_of_widths("width_classes", "Widths where clients lack classes", "rescaled_layers"),
    Result(
        "plot_thesis_widths.widths", "cost", "Widths where clients lack classes",
        table_of("width_classes"), SHOWN, stem="width_classes",
    ),
]  # fmt: skip
