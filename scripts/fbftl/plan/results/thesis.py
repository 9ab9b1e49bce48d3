"""Thesis: noise, fairness, models of every width, and bought public samples (ch. 2 to 5)."""

from dataclasses import replace
from typing import Any

from fbftl.plan import paths
from fbftl.plan.entries import Entry, Result, axes, of_task
from fbftl.plan.paths import EXPERIMENT, TASK
from fbftl.study.config import Study
from fbftl.study.outsourcing import ASKED
from fbftl.study.settings import simplified

OF_EXPERIMENT: dict[str, list[Entry]] = {}


def decays_of(study: Study, task: str, experiment: str) -> list[float]:
    """Return the decays of the exponential schedules that are compared, ascending."""
    settings = study.settings[task][experiment].values()
    return sorted({setting.decay for setting in settings if setting.schedule == "exp"})


SCHEDULE = (
    "mechanism", "epsilon", "schedule", "decay", "descent_steps", "accountant", "descent_momentum",
)  # fmt: skip
"""Axes that tell a schedule of noise apart."""


GAME = (
    "network", "mechanism", "sigma", "epsilon", "aggregation", "adversary", "majority_users",
    "minority_participation", "local_steps", "discriminator_rate", "discriminator_sees",
    "discriminator_start", "unlabelled_loss",
)  # fmt: skip
"""Axes of the tables here, whether or not a run deviates in them."""


OF_EXPERIMENT["budget"] = [
    Result("tabulate_thesis.budget", "privacy", "Schedules of noise", params=axes(*SCHEDULE)),
    Result("plot_thesis.budget", "privacy", "Schedules of noise"),
    Result(
        "plot_thesis.influence", "privacy", "Influence of a step",
        {"table": paths.of_task(TASK, "influence.csv")}, {"decays": decays_of},
    ),
]  # fmt: skip


FAIRNESS = Result(
    "tabulate_thesis.fairness", "privacy", "Fairness", params=axes(*GAME), stem=EXPERIMENT
)

OF_EXPERIMENT["fairness"] = [
    FAIRNESS,
    Result("plot_thesis.fairness", "privacy", "Fairness", params=axes(*GAME)),
]

OF_EXPERIMENT["fairness_strong"] = [replace(FAIRNESS, title="Fairness, strong discriminator")]

OF_EXPERIMENT["group_leakage"] = [replace(FAIRNESS, title="Groups in updates")]

OF_EXPERIMENT["domain_adaptation"] = [
    replace(FAIRNESS, chapter="cost", title="Domain adaptation"),
    Result("plot_thesis.domain_adaptation", "cost", "Domain adaptation", params=axes(*GAME)),
]


def network_of(study: Study, task: str, experiment: str) -> dict[str, Any]:
    """Return the block of the network whose widths an experiment compares."""
    (name,) = {setting.network for setting in study.settings[task][experiment].values()}
    return study.task(task)["networks"][name]


OF_EXPERIMENT["robust"] = [
    Result(
        "plot_thesis_widths.robust",
        "cost",
        "Robustness",
        params=axes("disturbed_normalisation", "robust_weight"),
    )
]


def table_of_widths(title: str, further: str) -> Result:
    """Return the table of models of several widths; a further axis is read."""
    params = {"network": network_of, "size": of_task("features", "size")}
    params |= axes("width", "budgets", "budget_order", "rescaled_init", further)
    return Result("tabulate_thesis_widths.widths", "cost", title, params=params, stem=EXPERIMENT)


OF_EXPERIMENT["widths"] = [
    table_of_widths("Widths", "rescaled_layers"),
    Result("plot_thesis_widths.widths", "cost", "Widths"),
    Result("plot_thesis_widths.domains", "cost", "Domains"),
]

OF_EXPERIMENT["width_laws"] = [
    table_of_widths("Widths under laws of budgets", "clients_per_round"),
    Result("plot_thesis_widths.width_laws", "cost", "Widths under laws of budgets"),
]  # fmt: skip

OF_EXPERIMENT["width_classes"] = [
    table_of_widths("Widths where clients lack classes", "rescaled_layers"),
    Result(
        "plot_thesis_widths.widths", "cost", "Widths where clients lack classes",
        stem="width_classes",
    ),
]  # fmt: skip

RULES = ("ecos", "proximity", "kcenter", "random", "ideal")


def of_each_rule(study: Study, task: str, experiment: str) -> list[str]:
    """Return the run file of a setting of each rule of purchase, at the centre of what varies.

    Proximity alone is run there only, at several purchases, of which the middle one is taken.
    """
    settings = study.settings[task][experiment]
    apart = [setting for setting in settings.values() if setting.purchase_rule == "proximity"]
    centre = sorted(apart, key=lambda setting: setting.purchase)[len(apart) // 2]
    names = [simplified(centre.with_axes(purchase_rule=rule)).name for rule in RULES]
    return paths.runs(task, [name for name in names if name in settings])


OF_EXPERIMENT["ecos"] = [
    Result(
        "tabulate_thesis.ecos", "privacy", "Samples bought by noisy counts", params=axes(*ASKED),
    ),
    Result("plot_thesis_purchases.ecos", "privacy", "Samples bought by noisy counts"),
    Result(
        "plot_thesis_purchases.purchases", "privacy", "What each choice bought",
        {"runs": of_each_rule, "public": paths.of_task(TASK, "public.h5")},
        {"block": of_task("public")},
    ),
]  # fmt: skip

OF_NUMBERS: list[Entry] = [
    Result("tabulate_thesis.budget_bounds", "privacy", "Bounds by condition number"),
    Result(
        "plot_thesis.budget_bounds", "privacy", "Bounds by condition number",
        {"table": paths.of_paper("thesis", "tables/budget_bounds.csv")},
    ),
]  # fmt: skip
