"""The folder of results: one call at a time writes in it, and the store knows what it rests on."""

import os
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.files import write_json, write_text
from fbftl.ground.lock import exclusive
from fbftl.plan.planned import MADE, Plan

TURN = MADE / "turn"
"""How many calls have written in this folder of results."""

REGISTERED = "registered"
"""Folder of the store with the keys that each folder of results asks for."""


class Turn:
    """The right of one call at a time to write in a folder of results.

    The plan was made without it: where another call has written since, the plan is refused.
    """

    def __init__(self) -> None:
        self._planned = self._count()
        self._held: Any = None

    def take(self) -> None:
        """Take the right until this process ends, in whatever way.

        Raises:
            UserError: if another call has it, or had it since this one planned.
        """
        self._held = exclusive(MADE / "call")
        self._held.__enter__()
        if self._count() != self._planned:
            raise UserError("another call has written to results/ since this call planned; retry")
        write_text(TURN, f"{self._planned + 1}\n")

    def _count(self) -> int:
        return int(TURN.read_text(encoding="utf-8")) if TURN.exists() else 0


def register(plan: Plan) -> None:
    """Write down in the store what this folder of results asks for, see `./run clean`."""
    folder = os.path.abspath("results")
    name = folder.strip("/").replace("/", "-")
    write_json(
        plan.store.root / REGISTERED / f"{name}.json", {"folder": folder, "keys": plan.needed()}
    )
