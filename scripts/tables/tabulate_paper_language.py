"""Table IV of the paper for FLAN-T5-small on SAMSum: every published number beside its formula."""

from pathlib import Path
from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.shown import shown
from fbftl.findings.tables import Column, write_table
from fbftl.papers.fbftl.dialogues import mean_tokens
from fbftl.papers.fbftl.readings import against_published, columns
from fbftl.papers.fbftl.setup import epochs, federation
from fbftl.papers.fbftl.table4 import language_readings

TRAINED_ENCODERS = {8: ("ftl_f", "ftl_c"), 4: ("ftl_c",), 2: ("ftl_c",)}


ON_PAGE = (
    "quantity",
    "method",
    "trained_encoders",
    "published",
    "formula",
    "unit",
    "reading",
    "verdict",
)
"""Columns that the page shows; the csv has all."""


def main(
    table4: str | Path, setup: str | Path, csv: str | Path, methods: list[dict[str, Any]],
    dialogues: str | Path | None = None,
) -> None:  # fmt: skip
    """Write the table as csv, Markdown and LaTeX.

    Args:
        table4: `published/fbftl/table4.csv`.
        setup: `published/fbftl/setup.csv`.
        csv: path of the csv.
        methods: those of the published table.
        dialogues: SAMSum's training dialogues as JSON lines; without them the rows that need real
            lengths are left out.
    """
    table = published.read(table4)
    clients = federation(published.read(setup), "samsum")
    length = None if dialogues is None else mean_tokens(dialogues)
    parts: list[pd.DataFrame] = []
    for encoders, trained in TRAINED_ENCODERS.items():
        counts = {
            method: epochs(table, clients.clients, method=method, trained_encoders=encoders)
            for method in trained
        }
        readings = language_readings(encoders, clients, counts, length)
        parts.append(against_published(table, readings, keys={"trained_encoders": encoders}))
    encoders_column = Column("trained_encoders", "Trained encoders")
    quantity, method, *others = columns(shown(methods).values())
    headed = (quantity, method, encoders_column, *others)
    write_table(csv, pd.concat(parts, ignore_index=True), headed, ON_PAGE)
