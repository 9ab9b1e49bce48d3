"""Collect an experiment's run files into one tidy table, a row per setting and seed."""

from typing import Any

from fbftl.findings.run_file import read_run
from fbftl.findings.runs import MEASURES, tidy, write_tidy
from fbftl.ground.logs import run_job


def main(runs: list[str], table: str, axes: dict[str, Any]) -> None:
    """Write the tidy table of run files that deviate in some of the axes from these defaults."""
    write_tidy(table, tidy((read_run(path, MEASURES) for path in runs), axes))


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(list(job.input.runs), job.output.table, job.params.axes))
