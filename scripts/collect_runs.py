"""Collect an experiment's run files into one tidy table, a row per setting and seed."""

import json

from fbftl.logs import run_job
from fbftl.runs import tidy, write_tidy


def main(runs: list[str], table: str) -> None:
    """Write the tidy table of the given run files."""
    documents = []
    for path in runs:
        with open(path, encoding="utf-8") as file:
            documents.append(json.load(file))
    write_tidy(table, tidy(documents))


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(list(job.input.runs), job.output.table))
