"""Two studies beside each other: one folder of results holds one task of a name.

Results of a task lie in a folder with its name. A study laid over the project's own that says
something else of a task would replace what the others made there.
"""

from collections.abc import Mapping
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study.config import Study

FREE = ("settings_per_process",)
"""Keys of a task that decide no result."""


def changed_tasks(study: Study, base: Study) -> dict[str, str]:
    """Return the first key that differs of each task that a study makes and the project knows.

    Args:
        study: what a call makes.
        base: what `config.yaml` and the systems' studies say alone.
    """
    known = base.config["tasks"]
    found = {
        task: first_difference(_deciding(study.task(task)), _deciding(known[task]))
        for task in study.tasks
        if task in known
    }
    return {task: key for task, key in found.items() if key is not None}


def first_difference(one: Any, other: Any, key: str = "") -> str | None:
    """Return the first key, in the order of the first value, at which two values differ."""
    if one == other:
        return None
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for name in [*one, *(name for name in other if name not in one)]:
            if name not in one or name not in other or one[name] != other[name]:
                below = f"{key}.{name}" if key else str(name)
                return first_difference(one.get(name), other.get(name), below) or below
    return key


def require_own_folder(study: Study, base: Study) -> None:
    """Refuse a study that would replace what a task of the project has made.

    Raises:
        UserError: naming the first key that differs, and the ways on.
    """
    if study.config["replace"]:
        return
    for task, key in changed_tasks(study, base).items():
        raise UserError(
            f"config: tasks.{task}.{key} is not what the project's own studies say, whose results "
            f"lie in results/{task}; say `results_folder: NAME` to make this study beside them, "
            "give the task another name, or say `replace: true` to make its results anew in place"
        )


def _deciding(block: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in block.items() if key not in FREE}
