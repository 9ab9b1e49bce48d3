"""What a plan is: jobs with their notes, and results as a call would make them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from fbftl.ground.artefacts import Store
from fbftl.ground.files import write_json
from fbftl.plan.bundles import Bundle
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
    def message(self) -> str:
        """What it does, in words."""
        return str(self.note["message"])

    @property
    def marker(self) -> str:
        """The file that says that it has ended."""
        return f"{MADE}/{self.rule}/{self.name}"


@dataclass(frozen=True)
class PlannedBundle:
    """A bundle as this call would make it.

    key: of all that decides it.
    needs: markers of jobs that must have ended.
    note: what its job reads.
    is_whole: whether all of its files are there.
    """

    bundle: Bundle
    key: str
    needs: Sequence[str]
    note: Mapping[str, Any]
    is_whole: bool

    @property
    def name(self) -> str:
        """Of its job."""
        return self.bundle.name

    @property
    def marker(self) -> str:
        """The last of its files, which says by which plan the others were made."""
        return marker_of(self.name, self.key)

    @property
    def for_nodes(self) -> dict[str, Any]:
        """What a node has to know of its job."""
        return {"key": self.key, "declared": self.bundle.declared, "needs": list(self.needs)}


def marker_of(name: str, key: str) -> str:
    """Return the last file of a bundle's results."""
    return f"{MADE}/results/{name.replace('/', '-')}.{key}"


def plan_file(name: str) -> Path:
    """Return the file that says which plan of a bundle is to be made."""
    return MADE / f"{name.replace('/', '-')}.plan"


@dataclass(frozen=True)
class Plan:
    """What a call makes.

    call: of the workflow.
    store: of artefacts.
    products: jobs that make what is missing besides runs.
    trained: batches of missing runs.
    bundles: results, tasks before papers; those that no target asks for among them.
    missing: how many runs are missing.
    needed: returns the keys of all artefacts that the study rests on, by kind.
    """

    call: Call
    store: Store
    products: Sequence[PlannedJob]
    trained: Sequence[PlannedJob]
    bundles: Sequence[PlannedBundle]
    missing: int
    needed: Callable[[], Mapping[str, Sequence[str]]]

    @property
    def jobs(self) -> list[PlannedJob]:
        """All jobs that make something of the store."""
        return [*self.products, *self.trained]

    @property
    def is_finished(self) -> bool:
        """Whether nothing of it is missing."""
        whole = (each.is_whole for each in self.bundles if each.bundle.wanted)
        return not self.jobs and all(whole)

    @cached_property
    def by_name(self) -> dict[str, PlannedJob]:
        """All these jobs by their names."""
        return {job.name: job for job in self.jobs}

    @property
    def targets(self) -> list[str]:
        """What the target `all` asks for."""
        files = [job.marker for job in self.jobs]
        for each in self.bundles:
            if each.bundle.wanted:
                files += [*each.bundle.declared, each.marker]
        return files

    def write(self) -> None:
        """Write the notes of all jobs, and which plan of each bundle is to be made."""
        for job in self.jobs:
            self.store.put_note(NOTES, job.name, dict(job.note) | {"needs": list(job.needs)})
        for each in self.bundles:
            self.store.put_note(NOTES, each.key, each.note)
            write_json(plan_file(each.name), {"name": each.name, **each.for_nodes})
