"""The run file: what one training job found out, JSON, read back with every part checked.

A damaged or foreign file must end in one sentence, never in a table.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fbftl.ground import contracts as of
from fbftl.ground.files import parsing, read_json
from fbftl.study.job import name_of
from fbftl.training.answers import RIGHT, unpacked
from fbftl.training.measures import MEASURES, SERIES, Measure, Series

SCHEMA = 3
"""Version of the run file's layout."""

LARGEST_SEED = 2**63 - 1
"""What a table's column of whole numbers holds."""

BETTER = {"enum": ["higher", "lower", None]}

RUN = of.Contract(
    "run file",
    SCHEMA,
    of.record(
        schema={"const": SCHEMA},
        task=of.TEXT,
        name=of.TEXT,
        setting=of.record(method=of.TEXT),
        training=of.MAPPING,
        inputs=of.MAPPING,
        measures=of.named(of.record(unit=of.STRING, better=BETTER, diverged=of.NUMBER)),
        series=of.named(of.record(unit=of.STRING, by=of.STRING)),
        repetitions=of.each(of.record(seed=of.WHOLE, diverged=of.TRUTH), least=1),
    ),
)
"""Numbers and lists of a repetition are those that are declared; what they may be, units say.

Where one model answers, a repetition also says which test samples it classifies rightly.
"""

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
        repetitions: what each seed found; their lists are below `series`. The digests of its
            models are left out: they tell of the machine too.
        measures: what the numbers are; the run declares those that it holds.
        series: what the lists are; the run declares those that it holds.
    """
    numbers = {name for repetition in repetitions for name in repetition}
    lists = {name for repetition in repetitions for name in repetition.get("series", ())}
    return {
        "schema": SCHEMA,
        "task": job["task"],
        "name": name_of(job["setting"]),
        "setting": job["setting"],
        "training": job["training"],
        "inputs": inputs,
        "measures": {
            name: asdict(measure) for name, measure in measures.items() if name in numbers
        },
        "series": {name: asdict(curve) for name, curve in series.items() if name in lists},
        "repetitions": [
            {name: value for name, value in repetition.items() if name != "models"}
            for repetition in repetitions
        ],
    }


def read_run(path: str | Path) -> dict[str, Any]:
    """Return the document of a run file.

    Raises:
        UserError: if it is no JSON, has another layout, or holds a number that cannot be.
    """
    run = read_json(path, RUN.kind)
    if type(run.get("schema")) is int:
        RUN.require_version(run["schema"], path)
    with parsing(path, RUN.kind):
        _require_run(run)
    return run


def weakest_privacy(run: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the guarantees of the repetition that has the largest epsilon, of equals the first.

    Repetitions differ where noise comes from clients, of whom fewer arrive in one than in another.
    """
    every = [repetition["privacy"] for repetition in run["repetitions"]]
    return max(every, key=lambda privacy: max((g["epsilon"] or 0.0 for g in privacy), default=0.0))


def _require_run(run: Any) -> None:
    """Raise an error that `read_run` expects unless a document is that of a run."""
    if fault := RUN.fault(run):
        raise ValueError(fault)
    # JSON keeps no order of the axes, so the parts of both names are compared.
    name = name_of(run["setting"])
    if sorted(str(run["name"]).split("+")) != sorted(name.split("+")):
        raise ValueError(f"its name is {run['name']!r}, its setting {name!r}")
    measures = {name: measure["unit"] for name, measure in run["measures"].items()}
    for name, unit in measures.items():
        if not _sensible(run["measures"][name]["diverged"], unit):
            raise ValueError(f"what {name} counts for a diverged seed cannot be")
    for repetition in run["repetitions"]:
        if not 0 <= repetition["seed"] <= LARGEST_SEED:
            raise ValueError(f"no run has the seed {repetition['seed']!r:.40}")
        for name, unit in measures.items():
            if not _sensible(repetition.get(name), unit):
                raise ValueError(f"{name} is {repetition[name]!r:.40}")
        for name in run["series"]:
            if not all(map(_number, repetition["series"][name])):
                raise ValueError(f"the series {name} holds what is no number")
        if RIGHT in repetition:
            share = float(unpacked(repetition[RIGHT]).mean())
            if share != repetition["test_accuracy"]:
                raise ValueError(f"a share of {share} is right, test_accuracy says otherwise")


def _sensible(value: Any, unit: str) -> bool:
    """Tell whether a value may be in a table under a measure's unit; None is not measured."""
    least, largest = RANGES.get(unit, (0, math.inf))
    return value is None or (_number(value) and least <= value <= largest)


def _number(value: Any) -> bool:
    """Tell whether a value is a finite number, or None."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or (is_number and math.isfinite(value))
