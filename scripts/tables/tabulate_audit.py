"""The audit: every place where a published record disagrees with itself, both values computed."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path

import pandas as pd
from fbftl.findings.published import read
from fbftl.findings.tables import ResultTable
from fbftl.papers.audit import COLUMNS, table
from fbftl.papers.by_name import audited
from fbftl.papers.fbftl import audit as fbftl_audit
from fbftl.papers.fbftl.dialogues import mean_tokens
from fbftl.papers.fbftl.evidence import Evidence

AUDITS = {
    paper: import_module(f"fbftl.papers.{paper}.audit").rows
    for paper in audited()
    if paper != "fbftl"
}
"""What finds the rows of each paper in its published tables alone."""


def main(
    files: Mapping[str, Iterable[str | Path]],
    texts: str | Path,
    dialogues: str | Path | None = None,
) -> ResultTable:
    """Return the table.

    Args:
        files: those of `published/{paper}/` by paper.
        texts: `published/audit.csv`.
        dialogues: SAMSum's training dialogues as JSON lines, for A8.
    """
    tables = {
        paper: {Path(path).stem: read(path) for path in files[paper]}
        for paper in ("fbftl", *AUDITS)
    }
    tokens = None if dialogues is None else mean_tokens(dialogues)
    findings = {
        "fbftl": fbftl_audit.rows(Evidence(tables["fbftl"], tokens)),
    } | {paper: audit_rows(tables[paper]) for paper, audit_rows in AUDITS.items()}
    return ResultTable(table(findings, pd.read_csv(texts)), COLUMNS)
