"""The run file: what a training job found out, of one seed or of all seeds of a setting."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fbftl.ground.artefacts import canonical
from fbftl.ground.errors import UserError
from fbftl.ground.files import message_of, read_json
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


OF_ONE_SEED = ("recipe", "models", "transcript", "digests", "made")
"""What a run of one seed has besides the science, see `train_batch`."""


def with_digests(run: Mapping[str, Any], ledger: str) -> dict[str, Any]:
    """Return a run of one seed with SHA-256 of its ledger, which is given, and of what it found."""
    return {**run, "digests": {"ledger": ledger, "run": digest_of(run)}}


def is_intact(run: Mapping[str, Any], ledger: str) -> bool:
    """Tell whether a run and the SHA-256 of its ledger are what they were when it was made."""
    return bool(run.get("digests") == {"ledger": ledger, "run": digest_of(run)})


def digest_of(run: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a run without what tells how it was made, and its digests."""
    found = {name: value for name, value in run.items() if name not in ("digests", "made")}
    return hashlib.sha256(canonical(found).encode()).hexdigest()


def joined(runs: Sequence[Mapping[str, Any]], task: str) -> dict[str, Any]:
    """Return the document of a setting with all its seeds, as `run_file.run_document` has it.

    Args:
        runs: documents of one seed each, of one setting, in the order of the seeds.
        task: whose setting it is; a run may have been made for another one.
    """
    first = {name: value for name, value in runs[0].items() if name not in OF_ONE_SEED}
    return first | {
        "task": task,
        "measures": {name: m for run in runs for name, m in run["measures"].items()},
        "series": {name: s for run in runs for name, s in run["series"].items()},
        "repetitions": [repetition for run in runs for repetition in run["repetitions"]],
    }


def join_ledgers(paths: Sequence[str | Path], joined_path: str | Path) -> None:
    """Write the messages of all seeds into one ledger, in the order of the paths.

    Raises:
        UserError: naming the ledger that is missing or damaged, and the remedy.
    """
    schema = None
    writer = None
    for path in paths:
        try:
            file = pq.ParquetFile(path)
            schema = schema or file.schema_arrow
            writer = writer or pq.ParquetWriter(joined_path, schema, compression="zstd")
            writer.write_table(pa.Table.from_batches(file.iter_batches(), schema))
        except (OSError, pa.ArrowException) as error:
            raise UserError(
                f"{path} cannot be read ({message_of(error)}); remove it and its .json, "
                "and the run is made again"
            ) from error
    if writer is not None:
        writer.close()
