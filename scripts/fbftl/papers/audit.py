"""The audit table: a row per finding about a paper, the rows of all papers together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import pandas as pd

from fbftl.findings.comparison import Verdict
from fbftl.findings.printed import formula_verdict
from fbftl.findings.tables import Column


@dataclass(frozen=True)
class AuditRow:
    """One finding; both values in `unit`.

    explanation: one line.
    """

    id: str
    where: str
    published: str
    computed: str
    unit: str
    verdict: Verdict
    explanation: str

    @property
    def number(self) -> int:
        """The number in the id."""
        return int(self.id.removeprefix("A"))

    def section(self, paper: str) -> str:
        """Return the section that argues the finding."""
        return f"docs/papers/{paper}.md#{self.id.lower()}"


def judged(
    published: Sequence[Decimal | int | float | str],
    computed: Sequence[int | float | Fraction],
    unit: str = "",
) -> Verdict:
    """Return what the two values of a finding come to.

    Reproduced if every computed number, rounded or cut to the published digits, is the published
    one; not comparable if one side has no number.

    Args:
        published: the numbers as they are printed.
        computed: exact, in bits where `unit` is one of bits.
        unit: of the published numbers.
    """
    if not published or not computed:
        return Verdict.NOT_COMPARABLE
    if len(published) != len(computed):
        return Verdict.DIFFERS
    pairs = zip(published, computed, strict=True)
    found = {formula_verdict(value, str(printed), unit) for printed, value in pairs}
    return Verdict.REPRODUCED if found == {Verdict.REPRODUCED} else Verdict.DIFFERS


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
