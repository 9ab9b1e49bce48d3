"""Kinds of jobs that take about as long, and a call's plan: which kind each of its jobs is of."""

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from fbftl.ground.files import write_text

OF_SETTINGS = re.compile(r"-[0-9a-f]{8}$")
"""What ends the name of a rule that is made for one list of settings."""


class JobKind(NamedTuple):
    """What jobs have in common that take about as long.

    rule: its name, without the task and the list of settings that it may have been made for.
    task: the task, or `papers`.
    method: of a training; otherwise empty.
    """

    rule: str
    task: str = ""
    method: str = ""

    @classmethod
    def of(cls, rule: str, output: str) -> "JobKind":
        """Return the kind of a job.

        Args:
            rule: the name of its rule.
            output: path of one of its results, whose folders name the task, and whose name the
                setting of a training.
        """
        *_, below = output.rpartition("results/")
        task, *folders, name = below.split("/") if "/" in below else ("", below)
        method = re.split(r"[+.]", name)[0] if folders[-1:] == ["runs"] else ""
        made_for = rf"_{re.escape(task)}(-source_seeds-\d+)?(?=_|$)"
        return cls(re.sub(made_for, "", OF_SETTINGS.sub("", rule), count=1), task, method)


PLAN = ".plan.csv"
"""What ends the name of a plan."""

Plan = Mapping[int, JobKind]
"""The kind of each job that a call has planned and that writes something, by its number there."""


def plan_beside(log: Path) -> Path:
    """Return where the plan of the call lies that writes a log."""
    return log.with_suffix(PLAN)


def write_plan(path: Path, plan: Plan) -> None:
    """Write a plan."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["job", *JobKind._fields])
    rows.writerows([number, *kind] for number, kind in plan.items())
    write_text(path, text.getvalue())


def read_plan(path: Path) -> dict[int, JobKind]:
    """Read a plan back; where there is none, it is empty."""
    if not path.is_file():
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return {int(number): JobKind(*kind) for number, *kind in rows}
