"""What a call makes and shows: targets, what numbers and claims are made from, the front page.

The front page of all papers shows tables and figures that the call makes or that lie finished here.
"""

import os
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from fbftl.plan import pages, paths
from fbftl.plan.call import Call
from fbftl.plan.entries import CLAIMS_OF_PAPER, REPORTED, in_formats
from fbftl.plan.results import MEASURED, OF_EXPERIMENT, of_paper, paths_of
from fbftl.plan.results.swept import SOURCES, longest
from fbftl.study.yaml_files import read_yaml


def of_experiment(call: Call, task: str, experiment: str) -> list[str]:
    """Return what is made of an experiment on a task, below the task's results."""
    several = len(call.study.with_repeats([task])) > 1
    further = under_sources(experiment) if several else []
    return [*_under_first_source(call, task, experiment), *further]


def under_sources(experiment: str) -> list[str]:
    """Return what is made of an experiment under all source networks of a task."""
    return [path.format(experiment=experiment) for path in paths_of(SOURCES)]


def _under_first_source(call: Call, task: str, experiment: str) -> list[str]:
    """Return what is made of an experiment under the task's first source network.

    Experiments of a paper's system without a list end in their tidy table, which tables of its
    paper read, and all others in a sweep.
    """
    if experiment in OF_EXPERIMENT:
        return paths_of(OF_EXPERIMENT[experiment])
    if any(experiment in system.experiments for system in [*call.systems, *call.of_size]):
        return []
    along = longest(call.study.settings[task][experiment].values())
    figures = [] if along is None else [f"figures/sweep_{experiment}"]
    return [f"tables/sweep_{experiment}", *figures]


def of_papers(call: Call) -> dict[str, list[str]]:
    """Return by paper what the call makes of its claims and own numbers.

    All of it where `papers` names the paper, and in the default study whole. A study of fewer
    experiments ends in what its claims say of them; experiments of one's own are of no paper.
    Nothing is made of a paper without a registry of claims.
    """
    study, default = call.study, read_yaml(call.root / "config.yaml")
    whole = set(default["study"]["experiments"]) <= set(study.paper)
    claiming = [p for p in study.papers if (call.root / "published/claims" / f"{p}.csv").is_file()]
    if study.config["papers"] is not None or whole:
        return {paper: paths_of(of_paper(paper)) for paper in claiming}
    published = set(default["experiments"]).union(
        *(system.experiments for system in [*call.systems, *call.of_size])
    )
    papers = {paper for name, paper in study.paper.items() if name in published}
    return {paper: paths_of(CLAIMS_OF_PAPER) for paper in claiming if paper in papers}


def of_task(call: Call, task: str) -> list[str]:
    """Return the tables, figures and numbers of a task."""
    made = []
    for experiment in call.study.settings[task]:
        made += [*of_experiment(call, task, experiment), f"experiments/{experiment}"]
    made.append("numbers")
    files = [file for path in made for file in in_formats(f"results/{task}/", path).values()]
    return list(dict.fromkeys(files))


def read_by_numbers(call: Call, task: str) -> dict[str, Any]:
    """Return a task's tidy tables, and what its methods send where they are compared."""
    experiments = call.finished[task]
    files = {"experiments": [paths.tidy(task, name) for name in experiments]}
    uplink = {"uplink": paths.table(task, "uplink")} if "methods" in experiments else {}
    return files | uplink


def read_by_claims(call: Call, paper: str) -> dict[str, list[str]]:
    """Return the tidy tables and series of a paper's experiments, and what is measured in addition.

    What methods send is there where they are compared.
    """
    by_task = call.finished_of(paper)
    pairs = [(task, name) for task, experiments in by_task.items() for name in experiments]
    return {
        "experiments": [paths.tidy(*pair) for pair in pairs],
        "series": [paths.tidy(*pair, "series.csv") for pair in pairs],
        "uplinks": [paths.table(task, "uplink") for task, name in pairs if name == "methods"],
        "beside": [
            path
            for task, name in pairs
            if name in MEASURED and call.has(task, name, path := paths.table(task, MEASURED[name]))
        ],
    }


@cache
def by_paper(call: Call) -> dict[str, list[str]]:
    """Return the tables and figures of each paper, as html and svg.

    Those of its experiments come first, in the study's order, so that a paper's first figure is
    of its first experiment that has one.
    """
    shown = {}
    for paper in dict.fromkeys([*call.project.papers, *call.study.papers]):
        files = dict.fromkeys([*_of_experiments(call, paper), *_of_numbers(call, paper)])
        if there := [path for path, made in files if made or os.path.exists(path)]:
            shown[paper] = there
    return shown


def on_front_page(call: Call) -> list[str]:
    """Return all of them, and those of the study's own tasks."""
    shown = [*by_paper(call).values(), *(task["results"] for task in own_tasks(call))]
    return list(dict.fromkeys(path for results in shown for path in results))


LED_WITH = ("figures/upload_front", "figures/uploads", "figures/methods")
"""Figures of a task of which the page shows the first that there is, else its first figure."""


@cache
def own_tasks(call: Call) -> list[dict[str, Any]]:
    """Return of each task that the study makes its data set, experiments and results."""
    described = {of["name"]: of for of in call.data_sets()}
    return [
        {
            "name": task,
            "data": described[task]["data"],
            "experiments": list(experiments),
            "results": _results(call, task, experiments),
        }
        for task, experiments in call.study.settings.items()
        if task in described
    ]


def _results(call: Call, task: str, experiments: Iterable[str]) -> list[str]:
    """Return the tables and figures of a task, as html and svg, the figure that leads first."""
    made = [path for of in experiments for path in of_experiment(call, task, of)]
    places = {path: place for place, path in enumerate(LED_WITH)}
    made.sort(key=lambda path: (path[:7] != "figures", places.get(path, len(places))))
    return list(dict.fromkeys(paths.of_task(task, _reported(path)) for path in made))


def page_texts(call: Call) -> dict[str, dict[str, str]]:
    """Return title and caption of each of them, by path."""
    return {path: pages.text_of(path, call.root) for path in on_front_page(call)}


def _of_experiments(call: Call, paper: str) -> Iterator[tuple[str, bool]]:
    """Yield the files of a paper's experiments, and whether the call makes them."""
    for task, experiments in call.finished_of(paper).items():
        for experiment in experiments:
            if call.has(task, experiment, paths.tidy(task, experiment)):
                for result, made in _of_experiment(call, task, experiment):
                    yield paths.of_task(task, _reported(result)), made


def _of_experiment(call: Call, task: str, experiment: str) -> Iterator[tuple[str, bool]]:
    """Yield what is made of an experiment and what may lie there, and whether the call makes it."""
    now = experiment in call.study.settings.get(task, {})
    made = of_experiment(call, task, experiment) if now else []
    for result in made or paths_of(OF_EXPERIMENT.get(experiment, [])):
        yield result, now
    for result in under_sources(experiment):
        if result not in made:
            yield result, False


def _of_numbers(call: Call, paper: str) -> Iterator[tuple[str, bool]]:
    """Yield the files of a paper's claims and own numbers, and whether the call makes them."""
    made = of_papers(call).get(paper, [])
    for result in paths_of(of_paper(paper)):
        yield paths.of_paper(paper, _reported(result)), result in made


def _reported(result: str) -> str:
    return f"{result}.{REPORTED[result.split('/')[0]]}"
