"""Train one setting of a language task, all its seeds in one process, from the cached uploads.

Writes the science (byte-equal when repeated on one machine) and, apart from it, how it was made.
"""

import time
from pathlib import Path
from typing import Any

from fbftl.findings.run_file import run_document
from fbftl.ground import devices, provenance
from fbftl.ground.files import write_json
from fbftl.ground.logs import run_job
from fbftl.methods import dialogue_methods as methods
from fbftl.tasks.dialogue_job import from_params
from fbftl.training.rouge import write_predictions


def main(
    files: dict[str, str], code: str, outputs: dict[str, str],
    params: dict[str, Any], axes: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Train a setting; write its run file, ledger, predictions, and how they were made.

    Args:
        files: paths of the input files by name, see `methods.Inputs`.
        code: digest of the source files that the result depends on.
        outputs: paths to write: ``run``, ``ledger``, ``predictions`` and ``meta``.
        params: the job, as `fbftl.study.config.Study.job` gives it.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    started = time.monotonic()
    job = from_params(params, axes)
    paths = {name: Path(path) for name, path in files.items()}
    inputs = methods.Inputs(device=devices.prepare(device, threads), **paths)
    outcome = methods.run(job, inputs)
    document = run_document(params, outcome.provenance, outcome.repetitions)
    write_json(outputs["run"], document)
    outcome.ledger.write(outputs["ledger"])
    write_predictions(outputs["predictions"], outcome.records, outcome.predictions)
    seconds = time.monotonic() - started
    write_json(outputs["meta"], provenance.record(code, inputs.device, seconds))


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            {name: job.input[name] for name in ("manifest", "clients", "weights", "source")},
            job.params.code,
            dict(job.output.items()),
            job.params.job,
            job.config["axes"],
            job.config["device"],
            job.threads,
        ),
    )
