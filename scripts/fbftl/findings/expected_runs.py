"""Whether the runs in a folder are those that a configuration asks for."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fbftl.findings.run_file import read_run
from fbftl.ground.digests import digest_of_value
from fbftl.ground.errors import UserError
from fbftl.ground.staleness import JobRecord, recorded
from fbftl.study.source_seeds import NAME

RUN = re.compile(rf"results/{NAME}/runs/[^/]+(?<!\.meta)\.json")
"""The path of a run file, also of a repeat under a further source network."""


def require_runs(jobs: Mapping[str, Mapping[str, Any]], folder: Path) -> None:
    """Refuse a folder of results that a configuration does not describe.

    Args:
        jobs: the job of each run that the configuration asks for, by the run file's path.
        folder: in which the study ran.

    Raises:
        UserError: with the first difference, or if a run file is damaged.
    """
    paths = folder.glob("results/**/runs/*.json")
    there = {path.relative_to(folder).as_posix() for path in paths}
    if difference := first_difference(
        jobs, {path for path in there if RUN.fullmatch(path)}, folder
    ):
        raise UserError(
            f"{difference}; name the configuration files that the study was called with, in their "
            "order, or run the study that they describe first"
        )


def first_difference(
    jobs: Mapping[str, Mapping[str, Any]], there: set[str], folder: Path
) -> str | None:
    """Return where runs and configuration part first, by path; None if they nowhere do.

    Compared are the setting, training values and seeds in each run file, and where the run's job is
    on record its whole params.

    Args:
        jobs: as in `require_runs`.
        there: paths of the run files, seen from the folder.
        folder: in which the study ran.
    """
    records = {
        path: record
        for record in recorded(folder / "results").values()
        for path in record.outputs
        if RUN.fullmatch(path)
    }
    for path in sorted(jobs.keys() | there):
        if path not in there:
            return f"the configuration asks for {path}, which is not there"
        if path not in jobs:
            return f"{path} is there, for which the configuration does not ask"
        if differing := _differing(jobs[path], read_run(folder / path), records.get(path)):
            return f"{path} {differing}"
    return None


def _differing(
    job: Mapping[str, Any], run: Mapping[str, Any], record: JobRecord | None
) -> str | None:
    """Return what tells a run from its job in the configuration."""
    values = {key: run[key] for key in ("setting", "training")}
    values["seeds"] = [repetition["seed"] for repetition in run["repetitions"]]
    for key, value in values.items():
        configured = job[key]
        if isinstance(value, dict):
            for name in sorted(value.keys() | configured.keys()):
                if value.get(name) != configured.get(name):
                    here, there = value.get(name), configured.get(name)
                    return f"has {key}.{name} {here!r}, the configuration {there!r}"
        elif value != list(configured):
            return f"has {key} {value}, the configuration {list(configured)}"
    if record is not None and digest_of_value(job) not in record.params.get("jobs", ()):
        return "was made by a job with other clients, privacy or heads than the configuration's"
    return None


def jobs_in(study: Any) -> dict[str, dict[str, Any]]:
    """Return the job of each run that a study makes, by the run file's path.

    Args:
        study: a `fbftl.study.config.Study`.
    """
    return {
        f"results/{task}/runs/{name}.json": study.job(task, name)
        for task, experiments in study.settings.items()
        for settings in experiments.values()
        for name in settings
    }
