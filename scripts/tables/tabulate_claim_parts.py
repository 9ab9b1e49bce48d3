"""Tabulate the parts of a paper's claims: every comparison and every formula, on every task."""

from collections.abc import Mapping, Sequence

from fbftl.findings.steps import File
from fbftl.findings.tables import ResultTable
from fbftl.papers.claim_tables import PARTS, findings_of, parts_table


def main(
    paper: str, planned: Mapping[str, Sequence[str]], files: Mapping[str, File]
) -> ResultTable:
    """Return the table.

    Args:
        paper: its word; `fbftl.papers.<paper>` has its measures and formulas.
        planned: names of the settings of the study, by task.
        files: the paper's runs, registry, audit and printed tables, as `findings_of` takes them.
    """
    return ResultTable(parts_table(findings_of(paper, planned, files)), PARTS)
