"""Table IV of the paper for FLAN-T5-small on SAMSum: every published number beside its formula."""

from pathlib import Path
from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.shown import shown
from fbftl.findings.tables import Column, ResultTable
from fbftl.papers.fbftl.dialogues import mean_tokens
from fbftl.papers.fbftl.readings import against_published, columns
from fbftl.papers.fbftl.setup import epochs, federation
from fbftl.papers.fbftl.table4 import language_readings

TRAINED_ENCODERS = {8: ("ftl_f", "ftl_c"), 4: ("ftl_c",), 2: ("ftl_c",)}


def main(
    table4: str | Path, setup: str | Path, methods: list[dict[str, Any]],
    dialogues: str | Path | None = None,
) -> ResultTable:  # fmt: skip
    """Return the table.

    Args:
        table4: `published/fbftl/table4.csv`.
        setup: `published/fbftl/setup.csv`.
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
    encoders_column = Column("trained_encoders", "Trained encoders", page=True)
    quantity, method, *others = columns(shown(methods).values())
    headed = (quantity, method, encoders_column, *others)
    return ResultTable(pd.concat(parts, ignore_index=True), headed)
