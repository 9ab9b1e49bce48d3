"""Train several FbFTL settings of one shape in one process, their heads stacked.

Each gets the files that a process of its own would write.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fbftl.findings.run_file import run_document
from fbftl.ground import devices, provenance
from fbftl.ground.files import write_json
from fbftl.ground.logs import run_job
from fbftl.methods.fbftl import fit
from fbftl.study.job import from_params
from fbftl.tasks.task import Inputs


def main(
    files: dict[str, str], code: str, runs: Sequence[str], ledgers: Sequence[str],
    metas: Sequence[str], params: Sequence[dict[str, Any]], axes: dict[str, Any], device: str,
    threads: int,
) -> None:  # fmt: skip
    """Train settings; write the run file of each, its ledger, and how they were made.

    Args:
        files: paths of the input files by name, see `fbftl.tasks.task.Inputs`.
        code: digest of the source files that the results depend on.
        runs: paths of the run files to write, a setting each.
        ledgers: paths of their ledgers.
        metas: paths of their provenance files.
        params: their jobs, as `fbftl.study.config.Study.job` gives them.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    started = time.monotonic()
    paths = {name: Path(path) for name, path in files.items()}
    inputs = Inputs(device=devices.prepare(device, threads), **paths)
    fitted = fit([from_params(job, axes) for job in params], inputs)
    made = provenance.record(code, inputs.device, time.monotonic() - started)
    for own, job, run, ledger, meta in zip(fitted, params, runs, ledgers, metas, strict=True):
        outcome = own.outcome
        found = (outcome.provenance, outcome.repetitions, outcome.measures, outcome.series)
        write_json(run, run_document(job, *found))
        outcome.ledger.write(ledger)
        write_json(meta, made | {"settings_in_process": len(params)})


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            dict(job.input.items()),
            job.params.code,
            list(job.output.runs),
            list(job.output.ledgers),
            list(job.output.metas),
            job.params.jobs,
            job.config["axes"],
            job.config["device"],
            job.threads,
        ),
    )
