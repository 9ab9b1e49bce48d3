"""The audit: every place where a published record disagrees with itself, both values computed."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd
from fbftl.findings.tables import ResultTable
from fbftl.papers import audited
from fbftl.papers.audit import COLUMNS, table
from fbftl.papers.fbftl.setup import mean_tokens
from fbftl.papers.record import PaperRecord


def main(
    files: Mapping[str, Iterable[str | Path]], texts: str | Path, dialogues: str | Path | None =
    None,
) -> ResultTable:  # fmt: skip
    """Return the table.

    Args:
        files: those of `published/{paper}/` by paper.
        texts: `published/audit.csv`.
        dialogues: SAMSum's training dialogues as JSON lines, for A8.
    """
    tokens = None if dialogues is None else mean_tokens(dialogues)
    records = {paper: PaperRecord.of(files[paper], mean_tokens=tokens) for paper in audited()}
    return ResultTable(table(records, pd.read_csv(texts)), COLUMNS)
