"""Collect an experiment's run files into one tidy table, a row per setting and seed."""

from fbftl.logs import run_job
from fbftl.run_file import read_run
from fbftl.runs import MEASURES, tidy, write_tidy


def main(runs: list[str], table: str) -> None:
    """Write the tidy table of the given run files."""
    write_tidy(table, tidy(read_run(path, MEASURES) for path in runs))


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(list(job.input.runs), job.output.table))
