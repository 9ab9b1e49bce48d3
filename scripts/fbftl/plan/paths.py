"""Where results lie: every name of a file below `results/`, once."""

from collections.abc import Iterable
from pathlib import Path

from fbftl.study import task_names

TASK = "{task}"
"""The task in a path that all tasks share, as a wildcard."""

EXPERIMENT = "{experiment}"
"""The experiment in such a path."""


def of_task(task: str, name: str) -> str:
    """Return a file or folder of a task."""
    return f"results/{task}/{name}"


def of_paper(paper: str, name: str) -> str:
    """Return a file of a paper."""
    return f"results/papers/{paper}/{name}"


def of_cut(task: str, cut: str | None, name: str) -> str:
    """Return a file, without suffix, that a task has for each cut; None is the task's own cut."""
    return of_task(task, name if cut is None else f"{name}/{cut}")


def clients(task: str) -> str:
    """Return a task's client file, which its repeats under further source networks share."""
    return of_task(task_names.task_of(task), "clients.h5")


def runs(task: str, settings: Iterable[str], suffix: str = "json") -> list[str]:
    """Return a file of each setting's runs joined: json, or parquet for its ledger."""
    return [of_task(task, f"runs/{setting}.{suffix}") for setting in settings]


def tidy(task: str, experiment: str, suffix: str = "csv") -> str:
    """Return an experiment's tidy table, or with `series.csv` its learning curves."""
    return of_task(task, f"experiments/{experiment}.{suffix}")


def guarantees(task: str, experiment: str) -> str:
    """Return what an experiment's runs guarantee."""
    return of_task(task, f"guarantees/{experiment}.csv")


def table(task: str, name: str) -> str:
    """Return the numbers of a task's table."""
    return of_task(task, f"tables/{name}.csv")


def findings(task: str, attack: str) -> str:
    """Return what an attack found."""
    return of_task(task, f"attacks/{attack}.csv")


def published(root: Path, paper: str) -> list[str]:
    """Return the files of a paper's printed numbers below the project's folder; claims are none."""
    files = sorted((root / "published" / paper).glob("*.csv"))
    return [path.relative_to(root).as_posix() for path in files]


def found(task: str, analysis: str, file: str, seed: int | None = None) -> str:
    """Return a file of what an analysis found, of one seed where it is asked of each."""
    of_seed = "" if seed is None else f"{seed}/"
    return of_task(task, f"findings/{analysis}/{of_seed}{file}")
