"""Thesis: schedules of noise, and fairness where an adversary looks for groups."""

from fbftl.plan import paths
from fbftl.plan.entries import Entry, Result
from fbftl.plan.paths import TASK
from fbftl.plan.vocabulary import GUARANTEES, SERIES, TIDY, axes, table_of
from fbftl.study.config import Study


def decays_of(study: Study, task: str, experiment: str) -> list[float]:
    """Return the decays of the exponential schedules that are compared, ascending."""
    settings = study.settings[task][experiment].values()
    return sorted({setting.decay for setting in settings if setting.schedule == "exp"})


OF_EXPERIMENT: dict[str, list[Entry]] = {}


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
    Result(
        "tabulate_thesis.budget", "privacy", "Schedules of noise",
        TIDY | GUARANTEES, axes(*SCHEDULE),
    ),
    Result("plot_thesis.budget", "privacy", "Schedules of noise", table_of("budget")),
    Result(
        "plot_thesis.influence", "privacy", "Influence of a step",
        {"table": paths.of_task(TASK, "influence.csv")}, {"decays": decays_of},
    ),
]  # fmt: skip


def table_of_game(experiment: str, chapter: str, title: str) -> Result:
    """Return the table of an experiment with an adversary for every group."""
    return Result(
        "tabulate_thesis.fairness", chapter, title,
        TIDY | GUARANTEES, axes(*GAME), stem=experiment,
    )  # fmt: skip


OF_EXPERIMENT["fairness"] = [
    table_of_game("fairness", "privacy", "Fairness"),
    Result("plot_thesis.fairness", "privacy", "Fairness", TIDY | SERIES, axes(*GAME)),
]

OF_EXPERIMENT["fairness_strong"] = [
    table_of_game("fairness_strong", "privacy", "Fairness, strong discriminator")
]

OF_EXPERIMENT["group_leakage"] = [table_of_game("group_leakage", "privacy", "Groups in updates")]

OF_EXPERIMENT["domain_adaptation"] = [
    table_of_game("domain_adaptation", "cost", "Domain adaptation"),
    Result("plot_thesis.domain_adaptation", "cost", "Domain adaptation", TIDY, axes(*GAME)),
]
