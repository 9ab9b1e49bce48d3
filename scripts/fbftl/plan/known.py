"""What rules ask of the plan: the call that plans answers from it, a node from what it wrote.

Only the call plans. A node of a cluster reads the rules again for the job that it was handed, and
may find another configuration by then: what its job makes is in a note.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fbftl.ground.artefacts import Store
from fbftl.ground.files import read_json
from fbftl.plan.planned import MADE, NOTES, Plan, marker_of


@dataclass(frozen=True)
class Results:
    """The results of a task or a paper, as their rule makes them.

    name: of the task, or `papers/` and the paper's.
    key: of the plan.
    declared: all files.
    needs: markers of jobs that must have ended.
    wanted: whether the target `all` asks for them.
    """

    name: str
    key: str
    declared: Sequence[str]
    needs: Sequence[str]
    wanted: bool = True

    @property
    def word(self) -> str:
        """Its name in names of rules and files."""
        return self.name.replace("/", "-")

    def is_called(self, name: str) -> bool:
        """Tell whether it is made when it is asked for by a name, of whichever task."""
        return not self.wanted and self.name.endswith(f"/{name}")

    @property
    def marker(self) -> str:
        """The last file, which says by which plan the others were made."""
        return marker_of(self.name, self.key)


@dataclass(frozen=True)
class OfCall:
    """What rules ask, answered from the plan of this call."""

    plan: Plan

    @property
    def results(self) -> list[Results]:
        """All results that have a rule."""
        return [
            Results(each.name, each.key, each.bundle.declared, each.needs, each.bundle.wanted)
            for each in self.plan.bundles
        ]

    @property
    def targets(self) -> list[str]:
        """What the target `all` asks for."""
        return self.plan.targets

    def needs(self, job: str) -> list[str]:
        """Return the markers that a job waits for."""
        return list(self.plan.by_name[job].needs) if job in self.plan.by_name else []

    def message(self, job: str) -> str:
        """Return what a job does, in words."""
        return self.plan.by_name[job].message if job in self.plan.by_name else job


@dataclass(frozen=True)
class OfNode:
    """What rules ask on a node, answered from what the call that planned has written."""

    store: Store

    @property
    def results(self) -> list[Results]:  # noqa: D102 - as above
        return [
            Results(**read_json(path, "plan of results")) for path in sorted(MADE.glob("*.plan"))
        ]

    @property
    def targets(self) -> list[str]:  # noqa: D102
        return []

    def needs(self, job: str) -> list[str]:  # noqa: D102
        return list(self._note(job).get("needs", []))

    def message(self, job: str) -> str:  # noqa: D102
        return str(self._note(job).get("message", job))

    def _note(self, job: str) -> dict[str, Any]:
        path = self.store.path(NOTES, job, ".json")
        return json.loads(path.read_bytes()) if path.exists() else {}
