"""The run file: what one training job found out, JSON, read back with every part checked.

A damaged or foreign file must end in one sentence, never in a table.
"""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from fbftl.ground.errors import UserError
from fbftl.study.job import name_of

SCHEMA = 1
"""Version of the run file's layout."""


def run_document(
    job: Mapping[str, Any], inputs: Mapping[str, Any], repetitions: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return what a run file holds.

    Args:
        job: the training job, as `fbftl.study.config.Study.job` gives it.
        inputs: digests of what the run was trained on.
        repetitions: what each seed found.
    """
    return {
        "schema": SCHEMA,
        "task": job["task"],
        "name": name_of(job["setting"]),
        "setting": job["setting"],
        "training": job["training"],
        "inputs": inputs,
        "repetitions": repetitions,
    }


def read_run(path: str | Path, measures: Collection[str]) -> dict[str, Any]:
    """Return the document of a run file.

    Args:
        path: the run file.
        measures: what tables read of a repetition: numbers, or null where nothing was measured.

    Raises:
        UserError: if it is no JSON, has another layout, or holds a number that cannot be.
    """
    try:
        run = json.loads(Path(path).read_bytes(), parse_constant=_refuse)
        _require_run(run, measures)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise UserError(
            f"run file {path} is damaged ({error}); remove it and it is made again"
        ) from error
    return run


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _require_run(run: Any, measures: Collection[str]) -> None:
    """Raise ValueError, TypeError or KeyError unless a document is that of a run."""
    if not isinstance(run, Mapping) or run.get("schema") != SCHEMA:
        raise ValueError(f"its layout is not {SCHEMA}")
    if not isinstance(run["task"], str) or not isinstance(run["setting"], Mapping):
        raise ValueError("it names no task and setting")
    if not isinstance(run["name"], str):
        raise ValueError(f"its name is {run['name']!r}")
    # JSON keeps no order of the axes, so the parts of both names are compared.
    name = name_of(run["setting"])
    if sorted(run["name"].split("+")) != sorted(name.split("+")):
        raise ValueError(f"its name is {run['name']!r}, its setting {name!r}")
    if not isinstance(run["repetitions"], list) or not run["repetitions"]:
        raise ValueError("it holds no repetitions")
    for repetition in run["repetitions"]:
        if not isinstance(repetition, Mapping) or type(repetition["seed"]) is not int:
            raise ValueError("a repetition has no seed")
        for name in measures:
            if not _sensible(name, repetition.get(name)):
                raise ValueError(f"{name} is {repetition[name]!r:.40}")


def _sensible(measure: str, value: Any) -> bool:
    """Tell whether a value may stand in a table under a measure's name."""
    if value is None:
        return True
    if measure == "diverged":
        return isinstance(value, bool)
    if type(value) not in (int, float) or not math.isfinite(value):
        return False
    return 0 <= value <= (1 if "accuracy" in measure else math.inf)
