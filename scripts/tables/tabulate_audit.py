"""The audit: every place where a published record disagrees with itself, both values computed."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd
from fbftl.findings.published import read
from fbftl.findings.tables import ResultTable
from fbftl.papers.audit import COLUMNS, table
from fbftl.papers.eppfl import audit as eppfl_audit
from fbftl.papers.fbftl import audit as fbftl_audit
from fbftl.papers.fbftl.dialogues import mean_tokens
from fbftl.papers.fbftl.evidence import Evidence
from fbftl.papers.fedfeat import audit as fedfeat_audit
from fbftl.papers.rivals import audit as rivals_audit
from fbftl.papers.survey import audit as survey_audit
from fbftl.papers.thesis import audit as thesis_audit

AUDITS = {
    "fedfeat": fedfeat_audit.rows,
    "eppfl": eppfl_audit.rows,
    "thesis": thesis_audit.rows,
    "survey": survey_audit.rows,
    "rivals": rivals_audit.rows,
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
