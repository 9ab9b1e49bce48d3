"""The pilot of a full study: the same settings, under other names of tasks and seeds 0 to 4."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fbftl.study import alike
from fbftl.study.sizes import Size, size_of
from fbftl.study.systems import System

SEEDS = (0, 1, 2, 3, 4)


def pilot_of(study: System) -> System:
    """Return the pilot of a full study, which differs from it in names of tasks and in seeds alone.

    Args:
        study: as it is written.
    """
    tasks = {
        _of_pilot(name): _few_seeds(block) if size_of(name) == Size.FULL else block
        for name, block in study.tasks.items()
    }
    experiments = {name: _on_pilots(block) for name, block in study.experiments.items()}
    return replace(study, study=_on_pilots(study.study), tasks=tasks, experiments=experiments)


def _of_pilot(name: str) -> str:
    """Return the name of a task of the pilot; a name of any other size stays."""
    ending = f"-{Size.FULL}"
    return f"{name.removesuffix(ending)}-{Size.PILOT}" if name.endswith(ending) else name


def _few_seeds(block: Any) -> Any:
    """Return a task's block with the pilot's seeds; one that is like a task is like the pilot's."""
    if not isinstance(block, Mapping):
        return block
    other = {alike.KEY: _of_pilot(str(block[alike.KEY]))} if alike.KEY in block else {}
    return {**block, **other, "seeds": [*SEEDS]}


def _on_pilots(block: Any) -> Any:
    """Return a block that lists tasks by name, itself or in its grids, with those of the pilot."""
    if not isinstance(block, Mapping):
        return block
    listed = dict(block)
    if isinstance(listed.get("tasks"), list):
        listed["tasks"] = [_of_pilot(str(name)) for name in listed["tasks"]]
    if isinstance(listed.get("grids"), list):
        listed["grids"] = [_on_pilots(grid) for grid in listed["grids"]]
    return listed
