"""Tabulate a paper's claims: what each comes to, and every comparison and formula behind it."""

from collections.abc import Mapping, Sequence

from fbftl.findings.steps import File
from fbftl.findings.tables import ResultTable
from fbftl.papers.claim_tables import CLAIMS, PARTS, claims_table, findings_of, parts_table


def claims(
    paper: str, planned: Mapping[str, Sequence[str]], files: Mapping[str, File]
) -> ResultTable:
    """Return the table of claims.

    Args:
        paper: its word; `fbftl.papers.<paper>` has its measures and formulas.
        planned: names of the settings of the study, by task.
        files: the paper's runs, registry, audit and printed tables, as `findings_of` takes them.
    """
    return ResultTable(claims_table(findings_of(paper, planned, files)), CLAIMS)


def claim_parts(
    paper: str, planned: Mapping[str, Sequence[str]], files: Mapping[str, File]
) -> ResultTable:
    """Return the table of parts on every task; its arguments are those of `claims`."""
    return ResultTable(parts_table(findings_of(paper, planned, files)), PARTS)
