"""Table IV of the paper for FLAN-T5-small on SAMSum: every published number beside its formula."""

from pathlib import Path

import pandas as pd
from fbftl.findings import published
from fbftl.findings.tables import Column, write_table
from fbftl.ground.logs import run_job
from fbftl.papers.fbftl.dialogues import mean_tokens
from fbftl.papers.fbftl.readings import COLUMNS, against_published
from fbftl.papers.fbftl.setup import epochs, federation
from fbftl.papers.fbftl.table4 import language_readings

TRAINED_ENCODERS = {8: ("ftl_f", "ftl_c"), 4: ("ftl_c",), 2: ("ftl_c",)}


def main(
    table4: str | Path, setup: str | Path, output: str | Path, dialogues: str | Path | None = None
) -> None:
    """Write the table as csv, Markdown and LaTeX.

    Args:
        table4: `published/fbftl/table4.csv`.
        setup: `published/fbftl/setup.csv`.
        output: path of the csv.
        dialogues: SAMSum's training dialogues as JSON lines; without them the rows that need real
            lengths are left out.
    """
    table = published.read(table4)
    clients = federation(published.read(setup), "samsum")
    length = None if dialogues is None else mean_tokens(dialogues)
    parts: list[pd.DataFrame] = []
    for encoders, methods in TRAINED_ENCODERS.items():
        counts = {
            method: epochs(table, clients.clients, method=method, trained_encoders=encoders)
            for method in methods
        }
        readings = language_readings(encoders, clients, counts, length)
        parts.append(against_published(table, readings, keys={"trained_encoders": encoders}))
    encoders_column = Column("trained_encoders", "Trained encoders")
    columns = (*COLUMNS[:2], encoders_column, *COLUMNS[2:])
    write_table(output, pd.concat(parts, ignore_index=True), columns)


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.input.table4, job.input.setup, job.output.csv, job.input.get("dialogues")
        ),
    )
