"""Kept results of some systems of a paper renewed, while what is kept of its others stays.

A paper's systems are studied one after the other, each by a full study of hours. What such a study
found takes the place of all that was kept of the same system, quick study or full one; rows,
figures and digests of the paper's other systems stay as they are, with a note of the commit, code
and environment that made them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fbftl.findings.kept_tables import lines_of, write_lines
from fbftl.ground.errors import UserError
from fbftl.study.full_studies import system_named
from fbftl.study.systems import System

MERGED = ("sentences", "parts", "hypotheses")
"""Tables whose rows belong to a system each."""

EARLIER = "earlier"
"""Key of the notes under which stands what made the tasks that stayed."""


@dataclass(frozen=True)
class Renewed:
    """What is renewed of a paper.

    sentences: of the renewed systems.
    tasks: of the renewed systems, those of quick and full studies.
    """

    sentences: Collection[str]
    tasks: Collection[str]

    def has(self, row: Mapping[str, str]) -> bool:
        """Return whether a row of a kept table is of a renewed system."""
        return row["sentence"] in self.sentences or row["task"] in self.tasks


def renewed(
    registry: Sequence[Mapping[str, str]], studies: Sequence[System], names: Sequence[str]
) -> Renewed:
    """Return what is renewed of a paper.

    Args:
        registry: rows of the paper's registry of sentences.
        studies: all of the project, quick and full.
        names: of the systems.

    Raises:
        UserError: if the registry has no sentence of a system.
    """
    of_paper = list(dict.fromkeys(row["system"] for row in registry))
    if unknown := [name for name in names if name not in of_paper]:
        raise UserError(f"the paper has no system {unknown[0]}; give some of {', '.join(of_paper)}")
    return Renewed(
        {row["id"] for row in registry if row["system"] in names},
        {task for study in studies if system_of(study.name) in names for task in study.tasks},
    )


def system_of(study: str) -> str:
    """Return the system of a study by its name: `budget` of `full/budget-mnist35`."""
    stem = study.removeprefix("full/")
    return stem.rpartition("-")[2] if stem == study else system_named(stem)


def merge_table(now: Path, before: Path, order: Sequence[str], of: Renewed) -> None:
    """Put rows of other systems into a table that has just been renewed, as they were kept.

    Args:
        now: the csv that was taken over from the results; its Markdown is beside it.
        before: the csv that was kept; its Markdown is beside it.
        order: of the sentences.
        of: what is renewed.
    """
    lines = [line for line in lines_of(before) if not of.has(line.cells)]
    lines += [line for line in lines_of(now) if of.has(line.cells)]
    places = {sentence: place for place, sentence in enumerate(order)}
    lines.sort(key=lambda line: places.get(line.cells["sentence"], len(places)))
    write_lines(now, lines)


def merge_notes(now: Mapping[str, Any], before: Mapping[str, Any], of: Renewed) -> dict[str, Any]:
    """Return the notes of renewed results with the runs that stay, and what made these.

    Args:
        now: notes of the results that were taken over.
        before: notes that were kept.
        of: what is renewed.
    """
    stay = {task: runs for task, runs in before["runs"].items() if task not in of.tasks}
    earlier = list(before.get(EARLIER, ()))
    older = {task for maker in earlier for task in maker["tasks"]}
    makers = [*earlier, {**before, "tasks": [task for task in stay if task not in older]}]
    keys = ("commit", "code", "versions", "arithmetic")
    still_kept = [
        {key: maker[key] for key in keys if key in maker} | {"tasks": tasks}
        for maker in makers
        if (tasks := [task for task in maker["tasks"] if task in stay])
    ]
    return {**now, "runs": {**stay, **now["runs"]}, EARLIER: still_kept}
