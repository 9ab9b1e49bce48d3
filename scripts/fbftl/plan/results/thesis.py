"""Thesis: schedules of noise, fairness, models of every width, and bought public rows (ch. 2 to 5)."""

from functools import partial
from typing import Any

from fbftl.plan import paths, runs
from fbftl.plan.entries import OF_SENTENCES, Entry, Result
from fbftl.plan.paths import TASK
from fbftl.plan.purchases import of_each_rule
from fbftl.plan.vocabulary import (
    CLIENTS,
    Params,
    axes,
    findings,
    guarantees,
    of_task,
    runs_and_ledgers,
    series,
    shown,
    table_of,
    tidy,
)
from fbftl.study.config import Study


def decays_of_budget(study: Study, task: str) -> list[float]:
    """Return the decays of the exponential schedules that are compared, ascending."""
    settings = study.settings[task]["budget"].values()
    return sorted({setting.decay for setting in settings if setting.schedule == "exp"})


def network_of(study: Study, task: str, experiment: str) -> dict[str, Any]:
    """Return the block of the network whose widths an experiment compares."""
    (name,) = {setting.network for setting in study.settings[task][experiment].values()}
    return study.task(task)["networks"][name]


OF_EXPERIMENT: dict[str, list[Entry]] = {}

SCHEDULE = (
    "mechanism", "epsilon", "schedule", "decay", "descent_steps", "accountant", "descent_momentum",
)  # fmt: skip
"""Axes that tell a schedule of noise apart."""

PURCHASE = (
    "purchase_rule", "purchase_allocation", "centroids", "purchase", "score_power",
    "count_sampling", "mechanism", "sigma", "bits", "aggregation", "uploaders", "clients",
    "label_source", "purchase_purpose",
)  # fmt: skip
"""Axes that tell a purchase apart."""

GAME = (
    "network", "mechanism", "sigma", "epsilon", "aggregation", "adversary", "majority_users",
    "minority_participation", "local_steps", "discriminator_rate", "discriminator_sees",
    "unlabelled_loss",
)  # fmt: skip
"""Axes of the tables here, whether or not a run deviates in them."""


OF_EXPERIMENT["budget"] = [
    Result(
        "tabulate_budget",
        "privacy",
        "Schedules of noise",
        tidy("budget") | guarantees("budget"),
        axes("budget", *SCHEDULE),
    ),
    Result("plot_budget", "privacy", "Schedules of noise", table_of("budget")),
    Result(
        "plot_influence",
        "privacy",
        "Influence of a step",
        {"table": paths.of_task(TASK, "influence.csv")},
        {"decays": decays_of_budget},
    ),
]

def table_of_game(experiment: str, chapter: str, title: str) -> Result:
    """Return the table of an experiment with an adversary for every group."""
    read = tidy(experiment) | guarantees(experiment)
    params = axes(experiment, *GAME)
    return Result(
        f"tabulate_{experiment}", chapter, title, read, params, script="tabulate_fairness"
    )


OF_EXPERIMENT["fairness"] = [
    table_of_game("fairness", "privacy", "Fairness"),
    Result(
        "plot_fairness",
        "privacy",
        "Fairness",
        tidy("fairness") | series("fairness"),
        axes("fairness", *GAME),
    ),
]

OF_EXPERIMENT["fairness_strong"] = [
    table_of_game("fairness_strong", "privacy", "Fairness, strong discriminator")
]

OF_EXPERIMENT["group_leakage"] = [table_of_game("group_leakage", "privacy", "Groups in updates")]

OF_EXPERIMENT["domain_adaptation"] = [
    table_of_game("domain_adaptation", "cost", "Domain adaptation"),
    Result(
        "plot_domain_adaptation",
        "cost",
        "Domain adaptation",
        tidy("domain_adaptation"),
        axes("domain_adaptation", *GAME),
    ),
]

OF_EXPERIMENT["robust"] = [
    Result(
        "plot_robust",
        "cost",
        "Robustness",
        tidy("robust"),
        axes("robust", "disturbed_normalisation"),
    )
]


DOMAINS: Params = {"domains": of_task("clients", "domains")}


def table_of_widths(experiment: str, title: str, *further: str) -> Result:
    """Return the table of an experiment with models of several widths; further axes may be read."""
    params = {"network": partial(network_of, experiment=experiment)}
    params |= {"size": of_task("features", "size")} | DOMAINS | shown(experiment)
    params |= axes(experiment, "width", "budgets", "budget_order", "rescaled_init", *further)
    read = runs_and_ledgers(experiment) | CLIENTS
    return Result(f"tabulate_{experiment}", "cost", title, read, params, script="tabulate_widths")


OF_EXPERIMENT["widths"] = [
    table_of_widths("widths", "Widths", "rescaled_layers"),
    Result("plot_widths", "cost", "Widths", table_of("widths"), shown("widths")),
    Result(
        "plot_domains",
        "cost",
        "Domains",
        table_of("widths"),
        DOMAINS | shown("widths"),
    ),
]

OF_EXPERIMENT["width_laws"] = [
    table_of_widths("width_laws", "Widths under laws of budgets", "clients_per_round"),
    Result(
        "plot_width_laws",
        "cost",
        "Widths under laws of budgets",
        table_of("width_laws"),
        shown("width_laws"),
    ),
]

OF_EXPERIMENT["width_classes"] = [
    table_of_widths("width_classes", "Widths where clients lack classes", "rescaled_layers"),
    Result(
        "plot_width_classes",
        "cost",
        "Widths where clients lack classes",
        table_of("width_classes"),
        shown("width_classes"),
        script="plot_widths",
    ),
]

OF_EXPERIMENT["width_heads"] = [
    Result(
        "tabulate_width_heads",
        "cost",
        "Widths on features",
        tidy("width_heads"),
        shown("width_heads") | axes("width_heads", "budget_order"),
    )
]

OF_EXPERIMENT["ecos"] = [
    Result(
        "tabulate_ecos",
        "privacy",
        "What counts buy",
        tidy("ecos") | guarantees("ecos"),
        axes("ecos", *PURCHASE),
    ),
    Result("plot_ecos", "privacy", "What counts buy", table_of("ecos")),
    Result(
        "plot_purchases",
        "privacy",
        "What each choice bought",
        {
            "runs": partial(runs.files, chosen=of_each_rule),
            "public": paths.of_task(TASK, "public.h5"),
        },
        DOMAINS | {"block": of_task("public")},
    ),
    Result(
        "tabulate_count_attacks",
        "privacy",
        "What counts tell",
        findings("counts"),
        script="tabulate_attacks",
    ),
]

OF_EXPERIMENT["ecos_uploads"] = [
    Result(
        "tabulate_ecos_uploads",
        "cost",
        "Counts before uploads",
        tidy("ecos_uploads"),
        axes("ecos_uploads", *PURCHASE),
    ),
    Result(
        "plot_ecos_uploads",
        "cost",
        "Counts before uploads",
        tidy("ecos_uploads"),
        axes("ecos_uploads", *PURCHASE),
    ),
]

OF_PAPER: list[Entry] = [
    *OF_SENTENCES,
    Result("tabulate_budget_bounds", "privacy", "Bounds by condition number"),
    Result(
        "plot_budget_bounds",
        "privacy",
        "Bounds by condition number",
        {"table": paths.of_paper("thesis", "tables/budget_bounds.csv")},
    ),
]
