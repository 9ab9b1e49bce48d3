"""The run file: what one training job found out, JSON, read back with every part checked.

A damaged or foreign file must end in one sentence, never in a table.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from fbftl.ground.errors import UserError
from fbftl.study.job import name_of
from fbftl.training.measures import MEASURES, SERIES, Measure, Series

SCHEMA = 2
"""Version of the run file's layout."""

RANGES = {"share": (0, 1), "%": (0, 100), "correlation": (-1, 1)}
"""Least and greatest value by unit; of other units nothing is negative."""


def run_document(
    job: Mapping[str, Any],
    inputs: Mapping[str, Any],
    repetitions: Sequence[Mapping[str, Any]],
    measures: Mapping[str, Measure] = MEASURES,
    series: Mapping[str, Series] = SERIES,
) -> dict[str, Any]:
    """Return what a run file holds.

    Args:
        job: the training job, as `fbftl.study.config.Study.job` gives it.
        inputs: digests of what the run was trained on.
        repetitions: what each seed found; their lists stand below `curves`. The digests of its
            models are left out: they tell of the machine too, see `models`.
        measures: what the numbers are; the run declares those that it holds.
        series: what the lists are; the run declares those that it holds.
    """
    numbers = {name for repetition in repetitions for name in repetition}
    lists = {name for repetition in repetitions for name in repetition.get("curves", ())}
    return {
        "schema": SCHEMA,
        "task": job["task"],
        "name": name_of(job["setting"]),
        "setting": job["setting"],
        "training": job["training"],
        "inputs": inputs,
        "measures": {name: asdict(one) for name, one in measures.items() if name in numbers},
        "series": {name: asdict(one) for name, one in series.items() if name in lists},
        "repetitions": [
            {name: own for name, own in repetition.items() if name != "models"}
            for repetition in repetitions
        ],
    }


def models(repetitions: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the SHA-256 of the model at every point of its curves, by seed."""
    return {str(one["seed"]): list(one.get("models", ())) for one in repetitions}


def read_run(path: str | Path) -> dict[str, Any]:
    """Return the document of a run file.

    Raises:
        UserError: if it is no JSON, has another layout, or holds a number that cannot be.
    """
    try:
        run = json.loads(Path(path).read_bytes(), parse_constant=_refuse)
        _require_run(run)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise UserError(
            f"run file {path} is damaged ({error}); remove it and it is made again"
        ) from error
    return run


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _require_run(run: Any) -> None:
    """Raise an error that `read_run` expects unless a document is that of a run."""
    if not isinstance(run, Mapping) or run.get("schema") != SCHEMA:
        raise ValueError(f"its layout is not {SCHEMA}")
    if not isinstance(run["task"], str) or not isinstance(run["setting"], Mapping):
        raise ValueError("it names no task and setting")
    if not isinstance(run["name"], str):
        raise ValueError(f"its name is {run['name']!r}")
    # JSON keeps no order of the axes, so the parts of both names are compared.
    name = name_of(run["setting"])
    if sorted(str(run["name"]).split("+")) != sorted(name.split("+")):
        raise ValueError(f"its name is {run['name']!r}, its setting {name!r}")
    if not isinstance(run["repetitions"], list) or not run["repetitions"]:
        raise ValueError("it holds no repetitions")
    measures, series = _declared(run["measures"], "unit"), _declared(run["series"], "by")
    for name, unit in measures.items():
        if not _sensible(run["measures"][name]["diverged"], unit):
            raise ValueError(f"what {name} counts for a diverged seed cannot be")
    for repetition in run["repetitions"]:
        if not isinstance(repetition, Mapping) or type(repetition["seed"]) is not int:
            raise ValueError("a repetition has no seed")
        if not isinstance(repetition["diverged"], bool):
            raise ValueError(f"diverged is {repetition['diverged']!r:.40}")
        for name, unit in measures.items():
            if not _sensible(repetition.get(name), unit):
                raise ValueError(f"{name} is {repetition[name]!r:.40}")
        for name in series:
            if not all(map(_number, repetition["curves"][name])):
                raise ValueError(f"the series {name} holds what is no number")


def _declared(block: Any, part: str) -> dict[str, str]:
    """Return a part of what a run declares of its measures or series, by their names."""
    if not isinstance(block, Mapping) or not all(isinstance(v, Mapping) for v in block.values()):
        raise ValueError("it declares no measures and series")
    parts = {name: declared[part] for name, declared in block.items()}
    if not all(isinstance(found, str) for found in parts.values()):
        raise ValueError(f"a declared {part} is no text")
    return parts


def _sensible(value: Any, unit: str) -> bool:
    """Tell whether a value may stand in a table under a measure's unit; None is not measured."""
    least, largest = RANGES.get(unit, (0, math.inf))
    return value is None or (_number(value) and least <= value <= largest)


def _number(value: Any) -> bool:
    """Tell whether a value is a finite number, or None."""
    return value is None or (type(value) in (int, float) and math.isfinite(value))
