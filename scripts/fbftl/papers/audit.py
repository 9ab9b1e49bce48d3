"""The audit table: a row per finding about a paper, the rows of all papers together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from fbftl.findings.comparison import Verdict
from fbftl.findings.tables import Column


@dataclass(frozen=True)
class AuditRow:
    """One finding; both values in `unit`."""

    id: str
    where: str
    published: str
    computed: str
    unit: str
    verdict: Verdict
    explanation: str
    """One line."""

    @property
    def number(self) -> int:
        """The number in the id."""
        return int(self.id.removeprefix("A"))

    def section(self, paper: str) -> str:
        """Return the section that argues the finding."""
        return f"docs/papers/{paper}.md#{self.id.lower()}"


def table(rows: Mapping[str, Sequence[AuditRow]]) -> pd.DataFrame:
    """Return the audit table from the rows of each paper, in the order of their numbers."""
    return pd.DataFrame(
        {
            "paper": paper,
            "id": row.id,
            "where": row.where,
            "published": row.published,
            "computed": row.computed,
            "unit": row.unit,
            "verdict": str(row.verdict),
            "explanation": row.explanation,
            "section": row.section(paper),
        }
        for paper, found in rows.items()
        for row in sorted(found, key=lambda row: row.number)
    )


COLUMNS = (
    Column("paper", "Paper"),
    Column("id", "Row"),
    Column("where", "Where"),
    Column("published", "Published"),
    Column("computed", "Computed"),
    Column("unit", "Unit"),
    Column("verdict", "Verdict"),
    Column("explanation", "Explanation", width="7cm"),
    Column("section", "Argued in"),
)
