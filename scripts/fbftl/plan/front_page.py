"""What the front page of all papers shows: tables and figures, made by a call or finished here."""

import os
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from fbftl.plan import pages, paths, targets
from fbftl.plan.call import Call
from fbftl.plan.entries import REPORTED
from fbftl.plan.results import OF_EXPERIMENT, of_paper, paths_of


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


def files(call: Call) -> list[str]:
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
    made = [path for of in experiments for path in targets.of_experiment(call, task, of)]
    places = {path: place for place, path in enumerate(LED_WITH)}
    made.sort(key=lambda path: (path[:7] != "figures", places.get(path, len(places))))
    return list(dict.fromkeys(paths.of_task(task, _reported(path)) for path in made))


def texts(call: Call) -> dict[str, dict[str, str]]:
    """Return title and caption of each of them, by path."""
    return {path: pages.text_of(path, call.root) for path in files(call)}


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
    made = targets.of_experiment(call, task, experiment) if now else []
    for result in made or paths_of(OF_EXPERIMENT.get(experiment, [])):
        yield result, now
    for result in targets.under_sources(experiment):
        if result not in made:
            yield result, False


def _of_numbers(call: Call, paper: str) -> Iterator[tuple[str, bool]]:
    """Yield the files of a paper's claims and own numbers, and whether the call makes them."""
    made = targets.of_papers(call).get(paper, [])
    for result in paths_of(of_paper(paper)):
        yield paths.of_paper(paper, _reported(result)), result in made


def _reported(result: str) -> str:
    return f"{result}.{REPORTED[result.split('/')[0]]}"
