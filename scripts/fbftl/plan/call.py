"""What a call makes, and what earlier calls have left finished in the folder of results."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from fbftl.plan.entries import setup_of
from fbftl.study.config import Study
from fbftl.study.full_studies import read_every_full
from fbftl.study.systems import System, paper_of

KEY = "key"
"""File of a task's or paper's results that says by which plan they were made."""


@dataclass(frozen=True, eq=False)
class Call:
    """A call of the workflow.

    study: what it makes.
    project: what `config.yaml` and the systems' studies say, with nothing laid over them.
    systems: the papers' systems.
    of_size: the full studies that it makes, if any.
    root: folder of the project's own files.
    arithmetic: sentence on whether other machines give the same numbers.
    """

    study: Study
    project: Study
    systems: Sequence[System]
    of_size: Sequence[System]
    root: Path
    arithmetic: str = ""

    @cached_property
    def every_system(self) -> list[System]:
        """The papers' systems with their full studies, whichever of them the call makes."""
        return [*self.systems, *read_every_full(self.root)]

    @cached_property
    def finished(self) -> dict[str, list[str]]:
        """The experiments that the call makes or that lie finished here, by task.

        What is made of many tasks is made of these, so that it comes out alike whichever call made
        them, and in the project's order. A task's results are those of one plan.
        """
        there = _finished_there() | {t: list(self.study.settings[t]) for t in self.study.tasks}
        order = dict.fromkeys([*self.project.tasks, *self.study.tasks, *there])
        by_task = {}
        for task in (task for task in order if task in there):
            of_project = self.project.settings.get(task, {})
            listed = dict.fromkeys([*of_project, *there[task]])
            by_task[task] = [name for name in listed if name in there[task]]
        return by_task

    def paper_of(self, experiment: str) -> str:
        """Return the paper of an experiment."""
        return paper_of(experiment, self.every_system)

    def finished_of(self, paper: str) -> dict[str, list[str]]:
        """Return of a paper the experiments that the call makes or that lie finished here."""
        of_paper = {
            task: [name for name in experiments if self.paper_of(name) == paper]
            for task, experiments in self.finished.items()
        }
        return {task: experiments for task, experiments in of_paper.items() if experiments}

    def study_of(self, task: str) -> Study:
        """Return the study that says what a finished task is: the call's, or the project's."""
        return self.study if task in self.study.tasks else self.project

    def data_sets(self) -> list[dict[str, Any]]:
        """Return name, data set and number of seeds of each finished task that a study knows."""
        described = []
        for task in self.finished:
            if task in self.study_of(task).tasks:
                block = self.study_of(task).task(task)
                data, seeds = setup_of(block)["task"], len(block["seeds"])
                described.append({"name": task, "data": data, "seeds": seeds})
        return described


def _finished_there() -> dict[str, list[str]]:
    """Return the experiments of each task whose results lie finished in the folder of results."""
    there: dict[str, list[str]] = {}
    for table in sorted(Path("results").glob("*/experiments/*.csv")):
        if not table.name.endswith(".series.csv") and Path("results", table.parts[1], KEY).exists():
            there.setdefault(table.parts[1], []).append(table.stem)
    return there
