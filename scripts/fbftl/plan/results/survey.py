"""Survey: frameworks of federated transfer learning, votes for source models, and DP-SGD."""

from fbftl.plan.analyses import Analysis, files_of, on_messages, table
from fbftl.plan.entries import Entry, Result, WrittenOut, axes, of_task, printed
from fbftl.study import methods
from fbftl.study.config import Study

OF_EXPERIMENT: dict[str, list[Entry]] = {}

OF_EXPERIMENT["frameworks"] = [
    Result(
        "tabulate_survey.frameworks", "cost", "Frameworks", printed(complexity="complexity.csv"),
    ),
    Result("plot_survey.frameworks", "cost", "Frameworks"),
    Result("plot_survey.gains", "cost", "Gains by client"),
    WrittenOut("tables/framework_attacks", "privacy", "Frameworks' messages"),
]  # fmt: skip

OF_EXPERIMENT["ground"] = [
    Result(
        "tabulate_survey.frameworks", "cost", "Messages of frameworks",
        printed(complexity="complexity.csv"), stem="ground",
    )
]  # fmt: skip

OF_EXPERIMENT["federation"] = OF_EXPERIMENT["federation_mnist"] = [
    Result(
        "plot_survey.federation", "cost", "Federation by round",
        printed(table1="survey/table1.csv"),
    )
]  # fmt: skip

OF_EXPERIMENT["votes"] = [
    Result(
        "plot_survey.votes", "cost", "Votes for source models",
        params={"models": of_task("source_models", "models")},
    )
]  # fmt: skip

OF_EXPERIMENT["dpsgd"] = [
    Result(
        "tabulate_survey.dpsgd", "privacy", "DP-SGD",
        printed(printed="survey/dpsgd.csv"), axes("mechanism", "epsilon"),
    ),
    Result("plot_survey.dpsgd", "privacy", "DP-SGD"),
]  # fmt: skip

OF_EXPERIMENT["attacked"] = [
    WrittenOut("tables/attacked_seeds", "privacy", "Frameworks' messages by seed")
]

OF_EXPERIMENT["similarity"] = [WrittenOut("tables/similarity", "cost", "Indices of similarity")]


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
