"""Kept results of some tasks of a paper renewed, while what is kept of its other tasks stays.

A system's full study may be several files, each of hours and run in a folder of its own. What one
of them found stands beside what the others did: rows of its tasks take the place of theirs before,
and what a sentence comes to over all tasks is reckoned anew from its parts.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from fbftl.findings.front import rows
from fbftl.findings.kept_systems import Renewed, merge_notes
from fbftl.findings.kept_tables import Line, head_of, lines_of, write_lines
from fbftl.findings.sentence_rule import Judgement, over_tasks
from fbftl.ground.errors import UserError
from fbftl.papers.comparisons import NOT_RUN
from fbftl.papers.sentences import FORMULA, NOT_COMPUTED
from fbftl.study.sizes import Size

OVERALL = ("overall", "All tasks")
"""The column of what a sentence comes to over all tasks, in the csv and in the Markdown."""


def merge_rows(now: Path, before: Path, tasks: Collection[str]) -> None:
    """Put rows of other tasks into a table that has just been renewed.

    Args:
        now: the csv that was taken over from the results; its Markdown is beside it.
        before: the csv that was kept; its Markdown is beside it.
        tasks: those that are renewed.

    Raises:
        UserError: if a verdict that stays counts another number of tested sentences.
    """
    made, kept = _by_comparison(lines_of(now)), _by_comparison(lines_of(before))
    lines = []
    for comparison, of_made in made.items():
        staying = _of_the_same_number(now, of_made, kept.get(comparison, []))
        lines += _merged(of_made, staying, tasks)
    write_lines(now, lines)


def merge_sentences(now: Path, before: Path, tasks: Collection[str], parts: Path) -> None:
    """Merge a table of sentences, and tell anew what each comes to over all tasks.

    Args:
        now: the csv that was taken over from the results; its Markdown is beside it.
        before: the csv that was kept; its Markdown is beside it.
        tasks: those that are renewed.
        parts: the csv of their parts, merged before.

    Raises:
        UserError: if a verdict that stays counts another number of tested sentences.
    """
    merge_rows(now, before, tasks)
    verdicts = _verdicts([line.cells for line in lines_of(parts)])
    head = head_of(now)
    lines = [
        line.with_cell(*OVERALL, head, str(verdicts[line.cells["sentence"]]))
        if line.cells["task"] and line.cells["sentence"] in verdicts
        else line
        for line in lines_of(now)
    ]
    write_lines(now, lines)


def without_comparison(tables: Sequence[Path], tasks: Sequence[str]) -> list[str]:
    """Return the tasks of which no table, of sentences or of comparisons, has a row."""
    compared = {row["task"] for table in tables for row in rows(table)}
    return [task for task in tasks if task not in compared]


def _verdicts(parts: Sequence[Mapping[str, str]]) -> dict[str, Judgement]:
    """Return what each sentence that a full study ran comes to, by the rows of all parts."""
    by_sentence: dict[str, list[Mapping[str, str]]] = {}
    for row in parts:
        by_sentence.setdefault(row["sentence"], []).append(row)
    return {
        sentence: overall_of(of_sentence)
        for sentence, of_sentence in by_sentence.items()
        if any(row["size"] == str(Size.FULL) for row in of_sentence)
    }


def overall_of(parts: Sequence[Mapping[str, str]]) -> Judgement:
    """Return what a sentence comes to over all tasks of full studies, by the rows of its parts."""
    by_task: dict[str, dict[str, Judgement]] = {}
    for row in parts:
        if row["size"] == str(Size.FULL):
            by_task.setdefault(row["task"], {})[row["part"]] = Judgement(row["verdict"])
    return over_tasks(list(by_task.values()), len({row["part"] for row in parts}))


def _by_comparison(lines: Sequence[Line]) -> dict[tuple[str, str], list[Line]]:
    """Return rows by sentence and part; a hypothesis of ours is told apart by its part."""
    found: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        found.setdefault((line.cells["sentence"], line.cells.get("part", "")), []).append(line)
    return found


def _merged(made: Sequence[Line], kept: Sequence[Line], tasks: Collection[str]) -> list[Line]:
    """Return the rows of one sentence or part.

    A formula that was computed stays as it is kept, for it may rest on runs of more tasks than are
    at hand.
    """
    of_tasks = [line for line in kept if line.cells["task"] and line.cells["task"] not in tasks]
    of_tasks += [line for line in made if line.cells["task"] in tasks]
    made_without, kept_without = (
        [line for line in lines if not line.cells["task"]] for lines in (made, kept)
    )
    verdicts = {line.cells["verdict"] for line in made_without}
    if verdicts <= {NOT_RUN}:
        return of_tasks or made_without or kept_without
    computed = [line for line in kept_without if line.cells["verdict"] in FORMULA.values()]
    return computed if computed and verdicts <= {*FORMULA.values(), NOT_COMPUTED} else made_without


def _of_the_same_number(table: Path, made: Sequence[Line], kept: Sequence[Line]) -> list[Line]:
    """Return the kept rows whose intervals are at the level of the made ones.

    Numbers of quick studies at another level have no verdict, and are left out.

    Raises:
        UserError: if a verdict was given at another level.
    """
    (tested,) = {line.cells["tested"] for line in made}
    others = [line for line in kept if line.cells["tested"] != tested and line.cells["task"]]
    if full := [line.cells for line in others if line.cells["size"] == str(Size.FULL)]:
        raise UserError(
            f"{table.name}: {full[0]['sentence']} was one of {full[0]['tested']} tested sentences "
            f"and is one of {tested}, by which intervals differ; renew the whole system"
        )
    return [line for line in kept if line not in others]


def merge_notes_of_tasks(
    now: Mapping[str, Any], before: Mapping[str, Any], tasks: Collection[str]
) -> dict[str, Any]:
    """Return the notes of renewed results with the runs that stay, and what made these.

    Args:
        now: notes of the results that were taken over.
        before: notes that were kept.
        tasks: those that are renewed.
    """
    runs = {task: runs for task, runs in now["runs"].items() if task in tasks}
    return merge_notes({**now, "runs": runs}, before, Renewed((), tasks))
