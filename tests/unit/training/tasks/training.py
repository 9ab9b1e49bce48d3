"""Settings trained as a batch trains them, with all seeds in one run file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fbftl.findings.run_file import run_document
from fbftl.ground import devices
from fbftl.ground.files import write_json
from fbftl.ground.room import RAM, Room
from fbftl.methods import by_name
from fbftl.study.job import from_params
from fbftl.study.methods import axes_by_method
from fbftl.training.tasks.task import Inputs, Outcome


def outcome_of(
    files: Mapping[str, str], params: dict[str, Any], device: str = "cpu", room: Room = RAM
) -> Outcome:
    """Train a setting."""
    inputs = Inputs.at(files, devices.prepare(device, 1), room)
    (outcome,) = by_name.trained([from_params(params, axes_by_method())], inputs)
    return outcome


def train_setting(
    files: Mapping[str, str], run: Path, params: dict[str, Any], device: str = "cpu",
    room: Room = RAM,
) -> tuple[Path, Path]:  # fmt: skip
    """Train a setting; write and return its run file and its ledger."""
    outcome = outcome_of(files, params, device, room)
    found = (outcome.provenance, outcome.repetitions, outcome.measures, outcome.series)
    write_json(run, run_document(params, *found))
    outcome.ledger.write(run.with_suffix(".parquet"))
    return run, run.with_suffix(".parquet")
