"""One row of the audit table, and the evidence that rows are computed from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

from fbftl.cost.payload import Federation
from fbftl.findings.comparison import Verdict
from fbftl.findings.tables import Column
from fbftl.papers.fbftl.setup import federation


@dataclass(frozen=True)
class Evidence:
    """What the rows read."""

    published: Mapping[str, pd.DataFrame]
    """Tables of `published/` by name."""
    mean_tokens: Fraction | None = None
    """Mean length of real dialogues, a lower bound if counted in words."""

    @property
    def cifar10(self) -> Federation:
        """The clients of the CIFAR-10 experiment."""
        return federation(self.published["setup"], "cifar10")

    @property
    def samsum(self) -> Federation:
        """The clients of the SAMSum experiment."""
        return federation(self.published["setup"], "samsum")


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

    @property
    def section(self) -> str:
        """The section that argues the finding."""
        return f"docs/audit.md#{self.id.lower()}"


Finding = Callable[[Evidence], AuditRow]


def table(findings: tuple[Finding, ...], evidence: Evidence) -> pd.DataFrame:
    """Return the audit table by row number."""
    rows = sorted((finding(evidence) for finding in findings), key=lambda row: row.number)
    return pd.DataFrame(
        {
            "id": row.id,
            "where": row.where,
            "published": row.published,
            "computed": row.computed,
            "unit": row.unit,
            "verdict": str(row.verdict),
            "explanation": row.explanation,
            "section": row.section,
        }
        for row in rows
    )


COLUMNS = (
    Column("id", "Row"),
    Column("where", "Where"),
    Column("published", "Published"),
    Column("computed", "Computed"),
    Column("unit", "Unit"),
    Column("verdict", "Verdict"),
    Column("explanation", "Explanation", width="7cm"),
    Column("section", "Argued in"),
)
