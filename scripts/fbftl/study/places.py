"""Where a project and the files that a configuration names lie."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError

PROJECT = Path(__file__).parents[3]

OURS = ("papers", "logs", "records", "README.md", "index.html", "report.html")
"""What is beside the tasks in the folder of results."""


def at_home(value: Any) -> Any:
    """Return a value with the user's own folder for every ~ that begins a path in it.

    Where a study has a folder of its own, relative paths, and ~ seems to be one, begin with ../.
    """
    if isinstance(value, dict):
        return {key: at_home(each) for key, each in value.items()}
    if isinstance(value, list):
        return [at_home(each) for each in value]
    if isinstance(value, str) and (found := re.fullmatch(r"(?:\.\./)*(~/.*)", value)):
        return os.path.expanduser(found[1])
    return value


def require_plain_place(project: Path = PROJECT) -> None:
    """Refuse a project in a folder whose path has braces, which Snakemake takes for wildcards.

    Raises:
        UserError: naming the folder.
    """
    if set("{}") & set(str(project)):
        raise UserError(
            f"the project is in {project}, and Snakemake reads braces in a path as wildcards; "
            "rename or move that folder"
        )


def require_free(tasks: Iterable[str]) -> None:
    """Refuse a task whose results would go where other things are, on any file system."""
    for name in tasks:
        if name.casefold() in map(str.casefold, OURS):
            raise UserError(
                f"config: tasks has the name '{name}', which results/ reserves; choose another"
            )
