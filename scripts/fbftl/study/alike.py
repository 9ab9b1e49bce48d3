"""Tasks that are like another: `like: TASK` takes that task's block and changes single keys."""

from collections.abc import Mapping
from typing import Any

from fbftl.ground.errors import UserError, suggestion
from fbftl.study.yaml_files import laid_over

KEY = "like"
"""Key of a task that names the task whose block it takes."""


def with_likes(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration whose tasks have the blocks that they take from others.

    A task's keys go over those of the block that it takes as a file of `--configfile` goes over the
    configuration: single keys change, lists are replaced whole.

    Args:
        config: as YAML has it; left unchanged.

    Raises:
        UserError: where a task is like one that is not defined, or in the end like itself.
    """
    tasks = config.get("tasks")
    if not isinstance(tasks, Mapping):
        return dict(config)
    return {**config, "tasks": {name: _block(tasks, name, ()) for name in tasks}}


def _block(tasks: Mapping[str, Any], name: str, above: tuple[str, ...]) -> Any:
    """Return the block of a task; `above` are the tasks that are like it, the first one first."""
    block = tasks[name]
    if not isinstance(block, Mapping) or KEY not in block:
        return block
    other, chain = block[KEY], (*above, name)
    key = f"config: tasks.{name}.{KEY}"
    if not isinstance(other, str) or other not in tasks:
        hint = suggestion(other, tasks)
        raise UserError(f"{key} names the task {other!r}, which is not defined{hint}")
    if other in chain:
        circle = ", which is like ".join((*chain[chain.index(other) :], other))
        raise UserError(f"{key} is circular: {circle}; write out one of these tasks")
    changes = {key: value for key, value in block.items() if key != KEY}
    lower = _block(tasks, other, chain)
    return laid_over(lower, changes) if isinstance(lower, Mapping) else lower
