"""Findings about paper fbftl: its tables, its runs and its privacy."""

from fbftl.papers.audit import AuditRow
from fbftl.papers.fbftl.audit_counts import COUNTS
from fbftl.papers.fbftl.audit_privacy import PRIVACY
from fbftl.papers.fbftl.audit_runs import RUNS
from fbftl.papers.fbftl.evidence import Evidence


def rows(evidence: Evidence) -> list[AuditRow]:
    """Return the paper's rows."""
    return [row(evidence) for row in (*COUNTS, *RUNS, *PRIVACY)]
