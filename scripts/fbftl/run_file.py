"""The run file: what one training job found out, JSON, read back with every part checked.

A damaged or foreign file must end in one sentence, never in a table.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from fbftl.errors import UserError
from fbftl.settings import from_axes

SCHEMA = 1
"""Version of the run file's layout."""


def read_run(path: str | Path) -> dict[str, Any]:
    """Return the document of a run file.

    Raises:
        UserError: if it is no JSON, has another layout, or holds a number that cannot be.
    """
    try:
        run = json.loads(Path(path).read_bytes(), parse_constant=_refuse)
        _require_run(run)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise UserError(
            f"run file {path} is damaged ({error}); remove it and it is made again"
        ) from error
    return run


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _require_run(run: Any) -> None:
    """Raise ValueError, TypeError or KeyError unless a document is that of a run."""
    if not isinstance(run, Mapping) or run.get("schema") != SCHEMA:
        raise ValueError(f"its layout is not {SCHEMA}")
    if not isinstance(run["task"], str) or not isinstance(run["setting"], Mapping):
        raise ValueError("it names no task and setting")
    setting = from_axes(run["setting"])
    if run["name"] != setting.name:
        raise ValueError(f"its name is {run['name']!r}, its setting {setting.name!r}")
    if not isinstance(run["repetitions"], list) or not run["repetitions"]:
        raise ValueError("it holds no repetitions")
    for repetition in run["repetitions"]:
        _require_repetition(repetition)


def _require_repetition(repetition: Any) -> None:
    if not isinstance(repetition, Mapping) or type(repetition["seed"]) is not int:
        raise ValueError("a repetition has no seed")
    for name, value in repetition.items():
        if isinstance(value, str):
            raise ValueError(f"{name} is {value[:40]!r}")
        if isinstance(value, bool) != (name == "diverged") and isinstance(value, int | float):
            raise ValueError(f"{name} is {value!r}")
        if isinstance(value, int | float):
            highest = 1 if "accuracy" in name else math.inf
            if not 0 <= value <= highest or value == math.inf:
                raise ValueError(f"{name} is {value!r}")
