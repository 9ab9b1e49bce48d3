"""What a call makes and shows: targets, what numbers and claims are made from, the front page.

The front page of all papers shows tables and figures that the call makes or that lie finished here.
"""

import os
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from fbftl.plan import paths
from fbftl.plan.call import Call
from fbftl.plan.entries import CLAIMS_OF_PAPER, Entry, Made
from fbftl.plan.results import AUDIT, MEASURED, OF_EXPERIMENT, of_numbers, of_paper
from fbftl.plan.results.swept import SOURCES, SWEEP, longest
from fbftl.study.yaml_files import read_yaml


def of_experiment(call: Call, task: str, experiment: str) -> list[Made]:
    """Return what is made of an experiment on a task.

    Experiments of a paper's system without a list end in their tidy table, which tables of its
    paper read, and all others in a sweep, whose figure runs along what varies.
    """
    entries: Sequence[Entry] = OF_EXPERIMENT.get(experiment, ())
    of_systems = (each.experiments for each in [*call.systems, *call.of_size])
    if experiment not in OF_EXPERIMENT and not any(experiment in each for each in of_systems):
        along = longest(call.study.settings[task][experiment].values())
        entries = SWEEP[:1] if along is None else SWEEP
    further = SOURCES if len(call.study.with_repeats([task])) > 1 else []
    return [Made(task, entry, experiment) for entry in (*entries, *further)]


def of_task(call: Call, task: str) -> list[Made]:
    """Return the tables and figures of a task, each once."""
    experiments = call.study.settings[task]
    made = [each for name in experiments for each in of_experiment(call, task, name)]
    return list({each.path: each for each in made}.values())


def of_papers(call: Call) -> dict[str, list[Made]]:
    """Return by paper what the call makes of its claims and own numbers.

    All of it where `papers` names the paper, and in the default study whole. A study of fewer
    experiments ends in what its claims say of them; experiments of one's own are of no paper.
    Nothing is made of a paper without a registry of claims.
    """
    study, default = call.study, read_yaml(call.root / "config.yaml")
    whole = set(default["study"]["experiments"]) <= set(study.paper)
    whole = whole or study.config["papers"] is not None
    published = set(default["experiments"]).union(
        *(system.experiments for system in [*call.systems, *call.of_size])
    )
    papers = {paper for name, paper in study.paper.items() if whole or name in published}
    return {
        paper: [
            Made(f"papers/{paper}", entry)
            for entry in (of_paper(paper) if whole else CLAIMS_OF_PAPER)
        ]
        for paper in study.papers
        if paper in papers and (call.root / "published/claims" / f"{paper}.csv").is_file()
    }


def shown_of(call: Call, name: str) -> list[Made]:
    """Return the tables and figures that one job makes.

    Of a task, of `papers/` and a paper what runs decide, or of `papers` what no run decides: the
    audit, and what is made of each paper's numbers alone.
    """
    if name in call.study.tasks:
        return of_task(call, name)
    made = [each for of_one in of_papers(call).values() for each in of_one]
    if name == "papers":
        of_all = (each for each in made if each.entry in of_numbers(each.owner))
        return [Made("papers", AUDIT), *of_all]
    return [each for each in made if each.of == name and each.entry not in of_numbers(each.owner)]


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
    measured = [(task, paths.table(task, MEASURED[n])) for task, n in pairs if n in MEASURED]
    return {
        "experiments": [paths.tidy(*pair) for pair in pairs],
        "series": [paths.tidy(*pair, "series.csv") for pair in pairs],
        "uplinks": [paths.table(task, "uplink") for task, name in pairs if name == "methods"],
        "beside": [p for task, p in measured if task in call.study.tasks or os.path.exists(p)],
    }


@cache
def by_paper(call: Call) -> dict[str, list[Made]]:
    """Return the tables and figures of each paper.

    Those of its experiments come first, in the study's order, so that a paper's first figure is
    of its first experiment that has one.
    """
    by_paper = {}
    for paper in dict.fromkeys([*call.project.papers, *call.study.papers]):
        shown = []
        for task, experiments in call.finished_of(paper).items():
            for name in experiments:
                if task in call.study.tasks:
                    shown += of_experiment(call, task, name)
                else:
                    listed = [*OF_EXPERIMENT.get(name, ()), *SOURCES]
                    shown += _there(Made(task, entry, name) for entry in listed)
        made = of_papers(call).get(paper)
        shown += made or _there(Made(f"papers/{paper}", entry) for entry in of_paper(paper))
        if shown:
            by_paper[paper] = list({each.shown: each for each in shown}.values())
    return by_paper


def _there(listed: Iterable[Made]) -> list[Made]:
    """Return those that lie finished."""
    return [each for each in listed if os.path.exists(each.shown)]


LED_WITH = ("figures/upload_front", "figures/uploads", "figures/methods")
"""Figures of a task of which the page shows the first that there is, else its first figure."""


def of_own(call: Call, task: str) -> list[Made]:
    """Return the tables and figures of a task that the study makes, the figure that leads first."""
    places = {path: place for place, path in enumerate(LED_WITH)}
    made = of_task(call, task)
    made.sort(key=lambda each: (each.entry.kind != "figures", places.get(each.path, len(places))))
    return made
