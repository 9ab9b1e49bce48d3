"""Train one setting, all its seeds in one process, from the cached uploads.

Writes the science (byte-equal when repeated on one machine) and, apart from it, how it was made.
"""

import time
from pathlib import Path
from typing import Any

from fbftl import methods
from fbftl.findings.run_file import run_document
from fbftl.ground import devices, provenance
from fbftl.ground.files import write_json
from fbftl.ground.logs import run_job
from fbftl.study.job import from_params
from fbftl.tasks.task import Inputs


def main(
    files: dict[str, str], code: str, run: str, ledger: str, meta: str,
    params: dict[str, Any], axes: dict[str, Any], device: str, scratch: str | None, threads: int,
) -> None:  # fmt: skip
    """Train a setting; write its run file, its ledger, and how they were made.

    Args:
        files: paths of the method's input files by name, see `fbftl.tasks.task.Inputs`.
        code: digest of the source files that the result depends on.
        run: path of the run file to write.
        ledger: path of the ledger to write.
        meta: path of the provenance file to write.
        params: the job, as `fbftl.study.config.Study.job` gives it.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        scratch: folder for what is too large for RAM, if there is one.
        threads: threads to compute with.
    """
    started = time.monotonic()
    job = from_params(params, axes)
    paths = {name: Path(path) for name, path in files.items()}
    inputs = Inputs(
        device=devices.prepare(device, threads), scratch=scratch and Path(scratch), **paths
    )
    outcome = methods.method(job.setting.method)(job, inputs)
    found = (outcome.provenance, outcome.repetitions, outcome.measures, outcome.series)
    write_json(run, run_document(params, *found))
    outcome.ledger.write(ledger)
    write_json(meta, provenance.record(code, inputs.device, time.monotonic() - started))


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            dict(job.input.items()),
            job.params.code,
            job.output.run,
            job.output.ledger,
            job.output.meta,
            job.params.job,
            job.config["axes"],
            job.config["device"],
            job.config["scratch_folder"],
            job.threads,
        ),
    )
