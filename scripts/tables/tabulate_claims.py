"""Tabulate a paper's claims: what each comes to, by runs or by formula."""

from collections.abc import Mapping, Sequence

from fbftl.findings.steps import File
from fbftl.findings.tables import ResultTable
from fbftl.papers.claim_tables import CLAIMS, claims_table, findings_of


def main(
    paper: str, planned: Mapping[str, Sequence[str]], files: Mapping[str, File]
) -> ResultTable:
    """Return the table.

    Args:
        paper: its word; `fbftl.papers.<paper>` has its measures and formulas.
        planned: names of the settings of the study, by task.
        files: the paper's runs, registry, audit and printed tables, as `findings_of` takes them.
    """
    return ResultTable(claims_table(findings_of(paper, planned, files)), CLAIMS)
