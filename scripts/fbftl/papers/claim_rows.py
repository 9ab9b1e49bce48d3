"""Rows of the registry of claims: read, checked, and expanded into the parts that are compared.

A row says what a document claims of two sides, and on which tasks it is tested;
`published/claims/README.md` describes its columns, sides and parts.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from itertools import pairwise, product
from pathlib import Path

from fbftl.ground.errors import UserError, suggestion
from fbftl.ground.files import csv_rows

FRONT = "front"
"""In place of a setting: the most accurate other message at no more bits than the first side's."""

FALLING = "falling"
"""Margin of a quantity that falls along an axis."""

ALONG = "along"
"""The axis of what rises or falls; all others make parts."""


class ClaimForm(StrEnum):
    """What is claimed of two sides A and B."""

    MORE = "more"
    TIMES = "times"
    EQUAL = "equal"
    NO_LESS = "no_less"
    EXISTS = "exists"
    MOST = "most"
    MONOTONE = "monotone"
    FORMULA = "formula"
    NOT_TESTABLE = "not testable"


@dataclass(frozen=True)
class ClaimRow:
    """A clause of a claim, its cells as they are written but for those named here.

    form: what is claimed.
    tasks: names of the tasks on which it is tested; none of most formulas.
    """

    id: str
    headline: str
    place: str
    says: str
    printed: str
    form: ClaimForm
    margin: str
    measure: str
    a: str
    b: str
    over: str
    tasks: tuple[str, ...]
    reason: str
    sides: str = ""

    def refused(self, column: str, fault: str) -> UserError:
        """Return the error that names the row, its column and what is wrong there."""
        return UserError(f"claim {self.id}, column {column}: {fault}")

    @property
    def least(self) -> float | None:
        """The margin as a number, None if no size is printed.

        Raises:
            UserError: if it is neither a number nor a direction.
        """
        if self.margin in ("", FALLING):
            return None
        try:
            return float(self.margin)
        except ValueError:
            raise self.refused("margin", f"'{self.margin}' is no number; write one") from None


@dataclass(frozen=True)
class ClaimTask:
    """What the rules of a verdict know of a task beside its runs.

    names: what a name in braces is replaced by.
    classes: of the labels, None of a task that is not scored by the share of correct answers.
    test_samples: on which an accuracy is measured, None if unknown.
    settings: names of those that its study plans, None if unknown.
    """

    name: str
    names: Mapping[str, str] = field(default_factory=dict)
    classes: int | None = None
    test_samples: int | None = None
    settings: frozenset[str] | None = None

    def makes(self, settings: Collection[str]) -> bool:
        """Tell whether the task plans all of these settings, as far as its plan is known."""
        return self.settings is None or self.settings.issuperset({*settings} - {FRONT})


NO_TASK = ClaimTask("")
"""Of formulas that need no runs."""


@dataclass(frozen=True)
class Term:
    """A measure of one setting."""

    measure: str
    setting: str


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a number, a measure of a setting, or the difference of two.

    terms: one, or two of which the second is subtracted; none of a number.
    """

    terms: tuple[Term, ...] = ()
    number: float = 0.0

    @property
    def settings(self) -> tuple[str, ...]:
        """Names of its settings."""
        return tuple(term.setting for term in self.terms)


@dataclass(frozen=True)
class Part:
    """One comparison of a row, on one task.

    name: the values that tell it from the row's other parts.
    measure: of both sides, or the function of a formula.
    texts: of a formula the sides as they are written, A at every value along the axis, then B.
    along: of a formula the values along the axis.
    values: of the names over which the row is expanded.
    """

    task: ClaimTask
    name: str
    measure: str
    a: Side = Side()
    b: Side = Side()
    texts: tuple[str, ...] = ()
    along: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)


def read_rows(path: str | Path) -> list[ClaimRow]:
    """Return the rows of `published/claims/{paper}.csv`.

    Raises:
        UserError: if a column is absent, but for `sides`, or a row has an unknown form.
    """
    return [_row(cells) for cells in csv_rows(path)]


def _row(cells: Mapping[str, str]) -> ClaimRow:
    names = [of.name for of in fields(ClaimRow)]
    for name in names:
        if name not in cells and name != "sides":
            raise UserError(f"no column {name} in claims; published/claims/README.md has all")
    texts = {name: cells[name] for name in names if name in cells and name not in ("form", "tasks")}
    if cells["form"] not in set(ClaimForm):
        known = suggestion(cells["form"], ClaimForm)
        raise UserError(f"claim {cells['id']}, column form: unknown form '{cells['form']}'{known}")
    return ClaimRow(**texts, form=ClaimForm(cells["form"]), tasks=tuple(cells["tasks"].split()))


def read_tasks(
    path: str | Path, planned: Mapping[str, Collection[str]] | None = None
) -> dict[str, ClaimTask]:
    """Return the tasks of `published/claims/tasks.csv`, and those that are planned, by name.

    Args:
        path: of the file.
        planned: names of the settings of tasks whose plan is known.
    """
    names: dict[str, dict[str, str]] = {task: {} for task in planned or ()}
    for row in csv_rows(path):
        names.setdefault(row["task"], {})[row["name"]] = row["value"]
    return {
        task: ClaimTask(
            task,
            of,
            int(of["classes"]) if "classes" in of else None,
            int(of["test_samples"]) if "test_samples" in of else None,
            frozenset(planned[task]) if planned and task in planned else None,
        )
        for task, of in names.items()
    }


def parts_of(row: ClaimRow, tasks: Mapping[str, ClaimTask]) -> list[Part]:
    """Return all parts of a row that its tasks plan, task by task.

    Raises:
        UserError: if a task or a name in braces is unknown.
    """
    found: list[Part] = []
    if row.form is ClaimForm.NOT_TESTABLE:
        return found
    for name in row.tasks or ("",):
        if name and name not in tasks:
            raise row.refused("tasks", f"unknown task '{name}'{suggestion(name, tasks)}")
        found += _on_task(row, tasks.get(name, NO_TASK))
    return found


def _on_task(row: ClaimRow, task: ClaimTask) -> Iterator[Part]:
    groups = _groups(row)
    axis = next((group for group in groups if ALONG in group[0]), [])
    others = [group for group in groups if group is not axis]
    for choice in product(*others):
        values = {name: value for chosen in choice for name, value in chosen.items()}
        name = ", ".join(f"{key}={value}" for key, value in values.items())
        name = re.sub(r"{(\w+)}", lambda found: task.names.get(found[1], found[0]), name)
        if row.form is ClaimForm.FORMULA:
            yield _formula(row, task, name, values, axis)
        elif row.form is ClaimForm.MONOTONE:
            yield from _steps(row, task, name, values, axis)
        else:
            sides = [_side(row, column, task, values) for column in ("a", "b")]
            if task.makes(sides[0].settings + sides[1].settings):
                yield Part(task, name, _filled(row, "measure", task, values), *sides, values=values)


def _steps(
    row: ClaimRow,
    task: ClaimTask,
    name: str,
    values: Mapping[str, str],
    axis: Sequence[Mapping[str, str]],
) -> Iterator[Part]:
    """Yield a comparison of each value along the axis with the next that the task has."""
    sides = [(step[ALONG], _side(row, "a", task, {**values, **step})) for step in axis]
    planned = [(value, side) for value, side in sides if task.makes(side.settings)]
    for (less, before), (more, after) in pairwise(planned):
        lower, upper = (after, before) if row.margin == FALLING else (before, after)
        step = f"{less or 'default'} to {more or 'default'}"
        of_step = {**values, ALONG: more}
        measure = _filled(row, "measure", task, of_step)
        named = f"{name}, {step}" if name else step
        yield Part(task, named, measure, upper, lower, values=of_step)


def _formula(
    row: ClaimRow,
    task: ClaimTask,
    name: str,
    values: Mapping[str, str],
    axis: Sequence[Mapping[str, str]],
) -> Part:
    steps = [{**values, **step} for step in axis] or [dict(values)]
    texts = [_filled(row, "a", task, of) for of in steps]
    if row.b:
        texts.append(_filled(row, "b", task, values))
    along = tuple(step[ALONG] for step in axis)
    measure = _filled(row, "measure", task, values)
    return Part(task, name, measure, texts=tuple(texts), along=along, values=values)


def _groups(row: ClaimRow) -> list[list[dict[str, str]]]:
    """Return the values of each group of names in the column `over`."""
    return [
        [_joined(row, names.split("/"), value) for value in values.split("|")]
        for names, _, values in (group.partition("=") for group in row.over.split("; ") if group)
    ]


def _joined(row: ClaimRow, names: Sequence[str], value: str) -> dict[str, str]:
    values = value.split("/") if len(names) > 1 else [value]
    if len(values) != len(names):
        raise row.refused("over", f"'{value}' has not a value for each of {', '.join(names)}")
    return dict(zip(names, values, strict=True))


def _side(row: ClaimRow, column: str, task: ClaimTask, values: Mapping[str, str]) -> Side:
    text = _filled(row, column, task, values)
    if re.fullmatch(r"-?\d+(\.\d+)?", text):
        return Side(number=float(text))
    measure = _filled(row, "measure", task, values)
    named = (term.rpartition(": ") for term in text.split(" -> "))
    return Side(tuple(Term(of or measure, setting) for of, _, setting in named))


def _filled(row: ClaimRow, column: str, task: ClaimTask, values: Mapping[str, str]) -> str:
    """Return a column's text with every name in braces replaced, those in the values too."""
    text, known = getattr(row, column), {**task.names, **values}
    while names := re.findall(r"{(\w+)}", text):
        for name in names:
            if name not in known:
                fault = f"{{{name}}} is in neither `over` nor tasks.csv{suggestion(name, known)}"
                raise row.refused(column, fault if known else fault.partition(";")[0])
            text = text.replace(f"{{{name}}}", known[name])
    return text


def require_known(
    row: ClaimRow, parts: Sequence[Part], measures: Collection[str], functions: Collection[str]
) -> None:
    """Refuse a row whose measure or function has no code.

    Raises:
        UserError: if one is unknown.
    """
    for part in parts:
        formula = row.form is ClaimForm.FORMULA
        known = functions if formula else measures
        of_sides = [term.measure for side in (part.a, part.b) for term in side.terms]
        for name in [part.measure] if formula else of_sides:
            if name not in known:
                kind = "function" if formula else "measure"
                fault = f"unknown {kind} '{name}'{suggestion(name, known)}"
                raise row.refused("measure", fault)


def require_readable(
    registry: str | Path, tasks: str | Path, planned: Mapping[str, Collection[str]] | None = None
) -> None:
    """Refuse a registry in which a form, a margin, a task or a name is unknown, before any job.

    Args:
        registry: `published/claims/{paper}.csv`.
        tasks: `published/claims/tasks.csv`.
        planned: as `read_tasks` takes them.

    Raises:
        UserError: that names row and column.
    """
    known = read_tasks(tasks, planned)
    for row in read_rows(registry):
        parts_of(row, known)
        _ = row.least
