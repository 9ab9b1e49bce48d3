"""Survey: frameworks of federated transfer learning, votes for source models, and DP-SGD."""

from fbftl.plan import paths
from fbftl.plan.analyses import Analysis, files_of, on_messages, table
from fbftl.plan.entries import Entry, Result, WrittenOut
from fbftl.plan.paths import TASK
from fbftl.plan.vocabulary import (
    axes,
    guarantees,
    of_task,
    printed,
    runs_and_ledgers,
    series,
    shown,
    table_of,
    tidy,
)
from fbftl.study import methods
from fbftl.study.config import Study


def series_of_federation(study: Study, task: str) -> str:
    """Return the learning curves of a task's federation against one network."""
    names = ("federation", "federation_mnist")
    experiment = next(name for name in names if name in study.settings[task])
    return paths.tidy(task, experiment, "series.csv")


OF_EXPERIMENT: dict[str, list[Entry]] = {}

OF_EXPERIMENT["frameworks"] = [
    Result(
        "tabulate_survey.frameworks",
        "cost",
        "Frameworks",
        runs_and_ledgers("frameworks")
        | {"attacks": paths.table(TASK, "framework_attacks")}
        | printed(complexity="complexity.csv"),
        shown("frameworks"),
    ),
    Result(
        "plot_survey.frameworks", "cost", "Frameworks", table_of("frameworks"), shown("frameworks")
    ),
    Result(
        "plot_survey.gains", "cost", "Gains by client", series("frameworks"), shown("frameworks")
    ),
    WrittenOut("tables/framework_attacks", "privacy", "Frameworks' messages"),
]

OF_EXPERIMENT["ground"] = [
    Result(
        "tabulate_survey.frameworks",
        "cost",
        "Messages of frameworks",
        runs_and_ledgers("ground") | printed(complexity="complexity.csv"),
        shown("ground"),
        stem="ground",
    )
]

OF_EXPERIMENT["federation"] = OF_EXPERIMENT["federation_mnist"] = [
    Result(
        "plot_survey.federation",
        "cost",
        "Federation by round",
        {"series": series_of_federation} | printed(table1="survey/table1.csv"),
    )
]

OF_EXPERIMENT["votes"] = [
    Result(
        "plot_survey.votes",
        "cost",
        "Votes for source models",
        series("votes"),
        {"models": of_task("source_models", "models")},
    )
]

OF_EXPERIMENT["dpsgd"] = [
    Result(
        "tabulate_survey.dpsgd",
        "privacy",
        "DP-SGD",
        tidy("dpsgd") | guarantees("dpsgd") | printed(printed="survey/dpsgd.csv"),
        axes("dpsgd", "mechanism", "epsilon"),
    ),
    Result("plot_survey.dpsgd", "privacy", "DP-SGD", table_of("dpsgd")),
    Result("tabulate_survey.paces", "privacy", "Epochs to an accuracy", series("dpsgd")),
]

OF_EXPERIMENT["attacked"] = [
    WrittenOut("tables/attacked_seeds", "privacy", "Frameworks' messages by seed")
]

OF_EXPERIMENT["similarity"] = [WrittenOut("tables/similarity", "cost", "Indices of similarity")]

MEASURED = {"attacked": "attacked_seeds", "dpsgd": "paces", "similarity": "similarity"}
"""Table by setting and seed of what is measured in addition to an experiment's runs."""


def frameworks(study: Study, task: str) -> list[str]:
    """Return those whose messages are attacked; features have attacks of their own."""
    return [
        name
        for name, setting in study.settings[task]["frameworks"].items()
        if methods.record(setting.method).sends == "local"
    ]


ANALYSES = [
    Analysis(
        "framework_attacks", "attacks/attack_frameworks.py", table("framework_attacks"),
        files_of(frameworks), modules=on_messages(frameworks), settings=frameworks,
        seeds="all",
    ),
]  # fmt: skip
