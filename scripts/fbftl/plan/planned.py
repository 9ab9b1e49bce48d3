"""What a plan is: jobs with their notes, results as a call would make them, and where they go.

Rules ask it what to make. Only the call plans: a node of a cluster reads the rules again for the
job that it was handed, may find another configuration by then, and has its answers from what the
call has written (`OfNode`).
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from fbftl.ground.artefacts import Store
from fbftl.ground.files import read_json, write_json
from fbftl.plan.call import Call

MADE = Path("results/.made")
"""Folder of markers, one for each job that has ended, and of what nodes know of results."""

NOTES, RUNS = "notes", "runs"
"""Folders of the store."""


@dataclass(frozen=True)
class PlannedJob:
    """A job that makes something of the store.

    rule: that it is of.
    name: digest of what it makes.
    note: what it reads.
    needs: markers of jobs that must have ended.
    """

    rule: str
    name: str
    note: Mapping[str, Any]
    needs: Sequence[str]

    @property
    def marker(self) -> str:
        """The file that says that it has ended."""
        return f"{MADE}/{self.rule}/{self.name}"


@dataclass(frozen=True)
class Results:
    """The results of a task or a paper, as their rule makes them.

    name: of the task, or `papers/` and the paper's.
    key: of all that decides them.
    declared: all files.
    needs: markers of jobs that must have ended.
    note: what their job reads; nodes know none.
    is_whole: whether all files are there.
    """

    name: str
    key: str
    declared: Sequence[str]
    needs: Sequence[str]
    note: Mapping[str, Any] = field(default_factory=dict)
    is_whole: bool = False

    @property
    def word(self) -> str:
        """Its name in names of rules and files."""
        return self.name.replace("/", "-")

    @property
    def marker(self) -> str:
        """The last file, which says by which plan the others were made."""
        return f"{MADE}/results/{self.word}.{self.key}"

    def write(self) -> None:
        """Write for nodes which plan of these results is to be made."""
        plan = {of: getattr(self, of) for of in ("name", "key", "declared", "needs")}
        write_json(MADE / f"{self.word}.plan", plan)


@dataclass(frozen=True)
class Plan:
    """What a call makes.

    call: of the workflow.
    store: of artefacts.
    products: jobs that make what is missing besides runs.
    trained: batches of missing runs.
    results: tasks before papers.
    missing: how many runs are missing.
    needed: returns the keys of all artefacts that the study rests on, by kind.
    """

    call: Call
    store: Store
    products: Sequence[PlannedJob]
    trained: Sequence[PlannedJob]
    results: Sequence[Results]
    missing: int
    needed: Callable[[], Mapping[str, Sequence[str]]]

    @property
    def jobs(self) -> list[PlannedJob]:
        """All jobs that make something of the store."""
        return [*self.products, *self.trained]

    @property
    def is_finished(self) -> bool:
        """Whether nothing of it is missing."""
        return not self.jobs and all(each.is_whole for each in self.results)

    @property
    def targets(self) -> list[str]:
        """What the target `all` asks for."""
        files = [job.marker for job in self.jobs]
        for each in self.results:
            files += [*each.declared, each.marker]
        return files

    def note(self, job: str) -> Mapping[str, Any]:
        """Return what a job reads, with the markers that it waits for; nothing of another job."""
        planned = self._by_name.get(job)
        return {} if planned is None else {**planned.note, "needs": planned.needs}

    @cached_property
    def _by_name(self) -> dict[str, PlannedJob]:
        return {job.name: job for job in self.jobs}

    def write(self) -> None:
        """Write the notes of all jobs, and which plan of all results is to be made."""
        for job in self.jobs:
            self.store.put_note(NOTES, job.name, self.note(job.name))
        for each in self.results:
            self.store.put_note(NOTES, each.key, each.note)
            each.write()


@dataclass(frozen=True)
class OfNode:
    """What rules ask of a plan, answered on a node from what the call that planned has written."""

    store: Store
    targets: Sequence[str] = ()

    @property
    def results(self) -> list[Results]:
        """All results that have a rule."""
        return [
            Results(**read_json(path, "plan of results")) for path in sorted(MADE.glob("*.plan"))
        ]

    def note(self, job: str) -> Mapping[str, Any]:
        """Return what a job reads, with the markers that it waits for; nothing if none is there."""
        path = self.store.path(NOTES, job, ".json")
        return json.loads(path.read_bytes()) if path.exists() else {}


REGISTERED = "registered"
"""Folder of the store with the keys that each folder of results asks for."""


def register(plan: Plan) -> None:
    """Write down in the store what this folder of results asks for, see `./run clean`."""
    folder = os.path.abspath("results")
    name = folder.strip("/").replace("/", "-")
    write_json(
        plan.store.root / REGISTERED / f"{name}.json", {"folder": folder, "keys": plan.needed()}
    )
