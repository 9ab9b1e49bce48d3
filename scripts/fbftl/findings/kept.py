"""Results that stand in the project, `docs/results/`: what is kept of a finished study.

Tables and single numbers of a task or a paper, the figures that `docs/results/figures.csv` lists,
and the keys and recipes of all runs that they rest on.
"""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from fbftl.findings.tables import read_table
from fbftl.ground.artefacts import DIGITS, RECIPE, Store, canonical
from fbftl.ground.errors import UserError
from fbftl.ground.files import read_json
from fbftl.study.systems import System, paper_of

KEPT = Path("docs", "results")
"""Folder of kept results, a folder for each task and `papers/{paper}`."""

PATTERNS = ("tables/*.csv", "tables/*.md", "numbers.json")
"""What is kept beside figures, below a task's or paper's results."""

FIGURES = KEPT / "figures.csv"
"""Which figures are kept, by folder: their paths below results/, without suffix."""

PAPERS = "papers/"
"""How the names of papers' results begin."""

KEY = re.compile(rf"\b[0-9a-f]{{{DIGITS}}}\b")
"""Of an artefact in a recipe."""

Runs = dict[str, dict[str, dict[str, Any]]]
"""Seeds and keys of runs, `seeds` and `keys`, by task and setting."""


def files_of(root: Path, name: str) -> dict[Path, Path]:
    """Return what is kept of a finished task or paper: each file with its place in the project.

    Args:
        root: the project's folder.
        name: of a task, or `papers/{paper}`.

    Raises:
        UserError: where a figure that is listed was not made.
    """
    finished, kept = root / "results" / name, root / KEPT / name
    found = sorted(path for pattern in PATTERNS for path in finished.glob(pattern))
    places = {path: kept / path.relative_to(finished) for path in found}
    for figure in listed_figures(root).get(name, ()):
        path, place = root / "results" / f"{figure}.svg", place_of(root, name, figure)
        if path.is_file():
            places[path] = place
        else:
            raise UserError(
                f"{FIGURES} lists {figure}, but {path.relative_to(root)} is not there; run its "
                "study first, or take the line out"
            )
    return places


def place_of(root: Path, name: str, figure: str) -> Path:
    """Return where a figure is kept; one of another folder has that folder's name before its own.

    Args:
        root: the project's folder.
        name: of a task, or `papers/{paper}`.
        figure: its path below results/, without suffix.
    """
    folder, _, stem = figure.partition("/figures/")
    before = "" if folder == name else folder.replace("/", "-") + "-"
    return root / KEPT / name / "figures" / f"{before}{stem}.svg"


def listed_figures(root: Path) -> dict[str, list[str]]:
    """Return the figures that are kept, by folder, as `docs/results/figures.csv` lists them."""
    return read_table(root / FIGURES).groupby("folder")["figure"].agg(list).to_dict()


def tasks_of(results: Path, name: str, systems: Sequence[System]) -> list[str]:
    """Return the finished tasks whose runs kept results rest on.

    Args:
        results: folder of results.
        name: of a task, or `papers/{paper}`, which rests on each task with an experiment of it.
        systems: with the experiments of each paper.
    """
    if not name.startswith(PAPERS):
        return [name]
    paper = name.removeprefix(PAPERS)
    tables = sorted(results.glob("*/experiments/*.csv"))
    of_paper = [t for t in tables if paper_of(t.name.partition(".")[0], systems) == paper]
    return list(dict.fromkeys(table.parents[1].name for table in of_paper))


def runs_of(results: Path, tasks: Iterable[str]) -> Runs:
    """Return seeds and keys of every run of some tasks and of their repeats.

    Args:
        results: folder of results.
        tasks: their names.

    Raises:
        UserError: where the table of a task's runs is missing or damaged.
    """
    runs: Runs = {}
    for path in (results / task / "runs.csv" for task in tasks):
        table = read_table(path, {"key": str})
        columns = (table[name] for name in ("task", "setting", "seed", "key"))
        for task, setting, seed, key in zip(*columns, strict=True):
            of_setting = runs.setdefault(task, {}).setdefault(setting, {"seeds": [], "keys": []})
            of_setting["seeds"].append(int(seed))
            of_setting["keys"].append(key)
    return runs


def recipes_of(runs: Runs, store: Store) -> dict[str, Any]:
    """Return what decides the runs of some tasks, so that a clone explains their numbers.

    `runs` has each setting's recipe, whose canonical JSON with a seed gives that seed's key; `read`
    has the recipes of what these read, by key.

    Args:
        runs: seeds and keys.
        store: in which the runs lie.
    """
    of_runs = {
        task: {
            setting: store.json("runs", each["keys"][0])["recipe"]["setting"]
            for setting, each in of_task.items()
        }
        for task, of_task in runs.items()
    }
    read: dict[str, Any] = {}
    pending: list[Any] = [of_runs]
    while pending:
        for key in sorted({*KEY.findall(canonical(pending.pop()))} - {*read}):
            for path in store.root.glob(f"*/{key}/{RECIPE}"):
                read[key] = read_json(path, "recipe")["recipe"]
                pending.append(read[key])
    return {"runs": of_runs, "read": read}


def distinct(described: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each way to compute once, in the order of their text."""
    texts = {json.dumps(each, sort_keys=True) for each in described}
    return [json.loads(text) for text in sorted(texts)]
