"""Shards: a study of more settings than one plan holds, planned and run part by part.

A shard takes its stretch of every grid's product, so that no call looks at the settings of another.
What differs between two stretches may be without effect; the run that both then ask for is made
once, and is once in the table that joins all shards.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError

LARGEST_PLAN = 10_000
"""Settings of one plan: what Snakemake plans in seconds and in half a gigabyte."""

Grids = Sequence[Mapping[str, list[Any]]]


@dataclass(frozen=True)
class Shard:
    """One of so many parts of a study, counted from 1, or what joins them all.

    number: None joins the tables that the parts made.
    """

    number: int | None
    of: int

    @property
    def joins(self) -> bool:
        """Whether it makes no run, only the table of all parts."""
        return self.number is None

    @property
    def parts(self) -> list["Shard"]:
        """Every part of the same study."""
        return [Shard(number, self.of) for number in range(1, self.of + 1)]

    def stretch(self, settings: int) -> range:
        """Return its places among so many settings; those of all parts follow each other."""
        if self.number is None:
            return range(0)
        return range(settings * (self.number - 1) // self.of, settings * self.number // self.of)

    @property
    def name(self) -> str:
        """What it is called in the configuration."""
        return f"{self.number or JOINED}/{self.of}"


JOINED = "all"
"""What is asked for in the place of a number to join the tables of all parts."""

WHOLE = Shard(1, 1)
"""A study that is planned at once."""


def shard_named(name: str | None) -> Shard:
    """Return what `shard` of the configuration says: null, ``3/100`` or ``all/100``.

    Raises:
        UserError: if it says anything else.
    """
    if name is None:
        return WHOLE
    read = re.fullmatch(rf"({JOINED}|\d{{1,9}})/(\d{{1,9}})", name, re.ASCII)
    part, of = (read[1], int(read[2])) if read else ("0", 0)
    number = None if part == JOINED else int(part)
    if of < 1 or (number is not None and not 1 <= number <= of):
        raise UserError(
            f"config: shard is '{name}'; give a part and their number, as 1/{of or 100}, or "
            f"{JOINED}/{of or 100} for the table of all parts"
        )
    return Shard(number, of)


def require_made(tables: Mapping[str, Shard]) -> None:
    """Refuse to join parts of which one was not made, or was made by another plan.

    Args:
        tables: the part that each table is of, by its path, which names the plan.

    Raises:
        UserError: naming the first that is missing.
    """
    for path, part in tables.items():
        if not Path(path).is_file():
            raise UserError(
                f"shard {part.name} has not been made by the plan of this call: {path} is missing; "
                f"run it first, with the same configuration and --config shard={part.name}"
            )


def product_size(grid: Mapping[str, list[Any]]) -> int:
    """Return how many combinations of axis values a grid spans."""
    return math.prod(map(len, grid.values()))


def require_plannable(experiments: Sequence[Grids], shard: Shard) -> None:
    """Refuse more settings than one plan holds, before any of them is made.

    Args:
        experiments: the grids of every experiment on every task of a study.
        shard: the part of it that is planned.

    Raises:
        UserError: naming the number of shards that would do.
    """
    sizes = [product_size(grid) for grids in experiments for grid in grids]
    requested, total = sum(len(shard.stretch(size)) for size in sizes), sum(sizes)
    if requested <= LARGEST_PLAN:
        return
    enough = range(-(-total // LARGEST_PLAN), total)
    least = next(n for n in enough if sum(-(-size // n) for size in sizes) <= LARGEST_PLAN)
    raise UserError(
        f"config: one plan of {requested:,} settings is more than {LARGEST_PLAN:,}; plan the study "
        f"in shards, --config shard=1/{least} to shard={least}/{least}, then shard={JOINED}/{least}"
    )
