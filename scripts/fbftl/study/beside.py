"""Two studies beside each other: one folder of results holds one task of a name.

Results of a task lie in a folder with its name. A study laid over the project's own that says
something else of a task would replace what the others made there.
"""

from collections.abc import Mapping
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study import source_seeds
from fbftl.study.config import Study

FREE = ("settings_per_process", source_seeds.KEY)
"""Keys of a task that decide none of its results; repeats under further sources lie beside them."""


def changed_tasks(study: Study, base: Study) -> dict[str, str]:
    """Return the first key that differs of each task that a study makes and the project knows.

    Args:
        study: what a call makes.
        base: what `config.yaml` and the systems' studies say alone.
    """
    of_project = base.config["tasks"]
    differences = {
        task: first_difference(_deciding(study.task(task)), _deciding(of_project[task]))
        for task in study.tasks
        if task in of_project
    }
    return {task: key for task, key in differences.items() if key is not None}


def first_difference(first: Any, second: Any, key: str = "") -> str | None:
    """Return the first key, in the order of the first value, at which two values differ."""
    if first == second:
        return None
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for name in [*first, *(name for name in second if name not in first)]:
            if name not in first or name not in second or first[name] != second[name]:
                below = f"{key}.{name}" if key else str(name)
                return first_difference(first.get(name), second.get(name), below) or below
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
            f"config: tasks.{task}.{key} differs from the project's own studies, whose results "
            f"are in results/{task}; say `results_folder: NAME` to make this study beside them, "
            "give the task another name, or say `replace: true` to make its results anew in place"
        )


def _deciding(block: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in block.items() if key not in FREE}
