"""The run file: what one training job found out, as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fbftl.ground.files import read_json
from fbftl.study.job import name_of
from fbftl.training.curves import MEASURES, SERIES, Measure, Series

SCHEMA = 3
"""Version of the run file's layout."""


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
        UserError: if it is no JSON.
    """
    return read_json(path, "run file")


def weakest_privacy(run: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the guarantees of the repetition that has the largest epsilon, of equals the first.

    Repetitions differ where noise comes from clients, of whom fewer arrive in one than in another.
    """
    every = [repetition["privacy"] for repetition in run["repetitions"]]
    return max(every, key=lambda privacy: max((g["epsilon"] or 0.0 for g in privacy), default=0.0))
