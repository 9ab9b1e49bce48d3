"""Parts of formulas as rows of the registry of claims make them, for tests."""

from collections.abc import Mapping
from pathlib import Path

from fbftl.papers.claim_rows import NO_TASK, Part, parts_of, read_rows
from fbftl.papers.formulas import Decision, FormulaCase, functions_of
from fbftl.papers.record import PaperRecord

PUBLISHED = Path(__file__).parents[3] / "published"


def part(*texts: str, along: tuple[str, ...] = (), **values: str) -> Part:
    """Return a part with its sides and the values of its names."""
    return Part(NO_TASK, "", "", texts=texts, along=along, values=values)


def decisions(paper: str, function: str, record: PaperRecord) -> Mapping[str, Decision | None]:
    """Return what a function decides of the parts of all rows that name it, by their names."""
    rows = read_rows(PUBLISHED / "claims" / f"{paper}.csv")
    return {
        of.name: functions_of(paper)[function](FormulaCase(of, row.margin, record))
        for row in rows
        if row.measure == function
        for of in parts_of(row, {})
    }
