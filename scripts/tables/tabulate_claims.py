"""Tabulate a paper's claims: what each comes to, and every comparison and formula behind it."""

from collections.abc import Mapping, Sequence

from fbftl.findings.steps import File
from fbftl.findings.tables import PageText, ResultTable
from fbftl.papers.claim_tables import CLAIMS, PARTS, claims_table, findings_of, parts_table


def claims(
    paper: str, planned: Mapping[str, Sequence[str]], files: Mapping[str, File],
    parts: Sequence[str], page_of_parts: Mapping[str, str],
) -> ResultTable:  # fmt: skip
    """Return the table of claims, and write that of their parts on every task.

    Args:
        paper: its word; `fbftl.papers.<paper>` has its measures and formulas.
        planned: names of the settings of the study, by task.
        files: the paper's runs, registry, audit and printed tables, as `findings_of` takes them.
        parts: files of the table of parts, the csv first.
        page_of_parts: its title and caption.
    """
    findings = findings_of(paper, planned, files)
    ResultTable(parts_table(findings), PARTS).write(parts[0], PageText(**page_of_parts))
    return ResultTable(claims_table(findings), CLAIMS)
