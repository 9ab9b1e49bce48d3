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
    """Return all of them, and the figures of the study's own tasks."""
    of_papers = [path for shown in by_paper(call).values() for path in shown]
    of_tasks = [task["picture"] for task in own_tasks(call) if task["picture"]]
    return list(dict.fromkeys([*of_papers, *of_tasks]))


LED_WITH = ("figures/front", "figures/uploads", "figures/methods")
"""Figures of a task that the page shows where there are any, else its first."""


@cache
def own_tasks(call: Call) -> list[dict[str, Any]]:
    """Return name, data set, experiments and picture of each task that the study makes."""
    described = {of["name"]: of for of in call.data_sets()}
    return [
        {
            "name": task,
            "data": described[task]["data"],
            "experiments": list(experiments),
            "picture": _picture(call, task, experiments),
        }
        for task, experiments in call.study.settings.items()
        if task in described
    ]


def _picture(call: Call, task: str, experiments: Iterable[str]) -> str | None:
    made = [path for of in experiments for path in targets.of_experiment(call, task, of)]
    figures = [path for path in made if path.startswith("figures/")]
    first = next((path for path in LED_WITH if path in figures), None) or next(iter(figures), None)
    return paths.of_task(task, f"{first}.svg") if first else None


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
