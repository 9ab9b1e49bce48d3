"""Train a setting, all its seeds in one process, or several settings whose heads step together.

Writes the science (byte-equal when repeated on one machine) and, apart from it, how it was made.
Each of several settings gets the files that a process of its own would write.
"""

import gc

if __name__ == "__main__":
    # All that is imported stays: to look for circles in it takes a tenth of a job's start.
    gc.disable()

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fbftl.findings.run_file import models, run_document, write_run
from fbftl.ground import devices, provenance
from fbftl.ground.files import write_json, write_text
from fbftl.ground.logs import run_job
from fbftl.ground.room import Room
from fbftl.methods import by_name
from fbftl.study.job import from_params
from fbftl.tasks.task import Inputs, Outcome

GIGABYTE = 10**9
"""Bytes."""


@dataclass(frozen=True)
class Outputs:
    """Paths of the files to write for one setting.

    run: the run file.
    ledger: every message that was sent.
    meta: how both were made, and the models on the way.
    predictions: what models say of the test set, where people read that; else None.
    """

    run: str
    ledger: str
    meta: str
    predictions: str | None = None


def main(
    files: dict[str, str], code: str, outputs: Sequence[Outputs], params: Sequence[dict[str, Any]],
    axes: dict[str, Any], device: str, room: Room, threads: int,
    keep: Callable[[int], None] | None = None,
) -> None:  # fmt: skip
    """Train settings and write the files of each.

    Args:
        files: paths of the method's input files by name, see `fbftl.tasks.task.Inputs`.
        code: digest of the source files that the results depend on.
        outputs: the files to write, for each setting.
        params: the settings' jobs, as `fbftl.study.config.Study.job` gives them.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        room: where large arrays go.
        threads: threads to compute with.
        keep: called with the index of each of several settings whose files are written, before the
            next one trains.
    """
    started = time.monotonic()
    where = devices.prepare(device, threads)
    inputs = Inputs.at(files, where, room)
    outcomes = by_name.trained([from_params(job, axes) for job in params], inputs)
    several = {"settings_in_process": len(params)} if len(params) > 1 else {}
    for index, outcome in enumerate(outcomes):
        paths = outputs[index]
        write(outcome, params[index], paths)
        origin = provenance.record(code, where, time.monotonic() - started)
        write_json(paths.meta, origin | several | {"models": models(outcome.repetitions)})
        if several and keep is not None:
            keep(index)


def write(outcome: Outcome, job: dict[str, Any], outputs: Outputs) -> None:
    """Write what one setting found and sent."""
    measured = (outcome.provenance, outcome.repetitions, outcome.measures, outcome.series)
    write_run(outputs.run, run_document(job, *measured))
    outcome.ledger.write(outputs.ledger)
    if outputs.predictions is not None:
        lines = [json.dumps(entry, ensure_ascii=False) for entry in outcome.transcript]
        write_text(outputs.predictions, "".join(line + "\n" for line in lines))


def room_of(config: dict[str, Any]) -> Room:
    """Return where large arrays go, as the config says it."""
    memory, folder = config["memory"], config["scratch_folder"]
    return Room(
        None if memory is None else int(memory * GIGABYTE), None if folder is None else Path(folder)
    )


def each(output: Any) -> list[Outputs]:
    """Return a rule's outputs by setting: a name holds one file, or a file for each setting."""
    lists = {
        name: [files] if isinstance(files, str) else list(files) for name, files in output.items()
    }
    return [
        Outputs(**dict(zip(lists, files, strict=True)))
        for files in zip(*lists.values(), strict=True)
    ]


if __name__ == "__main__":
    gc.freeze()
    gc.enable()
    run_job(
        snakemake,
        lambda job: main(
            dict(job.input.items()),
            job.params.code,
            each(job.output),
            job.params.jobs,
            job.config["axes"],
            job.config["device"],
            room_of(job.config),
            job.threads,
            getattr(job, "keep", None),
        ),
    )
