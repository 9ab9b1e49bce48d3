"""The audit table: a row per finding about a paper, the rows of all papers together.

A finding is computed in its paper's folder; what its row says of it is in `published/audit.csv`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

import pandas as pd

from fbftl.findings.columns import VERDICT
from fbftl.findings.comparison import Verdict
from fbftl.findings.printed import formula_verdict
from fbftl.findings.tables import Column

Number = Decimal | Fraction | int | float | str


@dataclass(frozen=True)
class AuditRow:
    """What a paper prints, and what follows from its own record.

    id: of its row.
    published, computed: both values, as they are shown.
    words: numbers and names that the row's sentences leave open, by their names there.
    part: which of the paper's pages argues it; empty where the paper has one page.
    """

    id: str
    published: str
    computed: str
    verdict: Verdict
    words: Mapping[str, object] = field(default_factory=dict)
    part: str = ""

    @property
    def number(self) -> int:
        """The number in the id."""
        return int(self.id.removeprefix("A"))

    def section(self, paper: str) -> str:
        """Return the section that argues the finding."""
        page = f"{paper}-{self.part}" if self.part else paper
        return f"docs/papers/{page}.md#{self.id.lower()}"


def finding(
    id: str,
    published: Sequence[Number] | str,
    computed: Sequence[Number] | str,
    form: str = "{}",
    *,
    printed: str = "{}",
    between: str = "; ",
    unit: str = "",
    **words: object,
) -> AuditRow:
    """Return a finding whose numbers are shown as they are judged.

    Args:
        id: of its row.
        published: the numbers as they are printed; a text is shown, and has no number.
        computed: exact; a text is shown, and has no number.
        form: how a computed number is shown.
        printed: how a published one is shown.
        between: what is shown between two numbers of a side.
        unit: of the published numbers; the computed ones are in bits where it is one of bits.
        words: as in `AuditRow`.
    """
    shown = [
        side if isinstance(side, str) else between.join(map(how.format, map(_formattable, side)))
        for side, how in ((published, printed), (computed, form))
    ]
    numbers = [() if isinstance(side, str) else side for side in (published, computed)]
    return AuditRow(id, *shown, judged(*numbers, unit), words)


def _formattable(number: Number) -> Number:
    """Return a number that a format specification takes, which Python's fractions do not yet."""
    return float(number) if isinstance(number, Fraction) else number


def judged(published: Sequence[Number], computed: Sequence[Number], unit: str = "") -> Verdict:
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
    verdicts = {formula_verdict(value, str(printed), unit) for printed, value in pairs}
    return Verdict.REPRODUCED if verdicts == {Verdict.REPRODUCED} else Verdict.DIFFERS


def table(findings: Mapping[str, Sequence[AuditRow]], texts: pd.DataFrame) -> pd.DataFrame:
    """Return the audit table from the findings of each paper, in the order of their numbers.

    Args:
        findings: by paper.
        texts: columns `paper`, `id`, `where`, `unit` and `explanation`; a name in braces is one of
            the finding's words.

    Raises:
        KeyError: if a finding has no text, or a text a name that the finding has no word for.
    """
    sentences = texts.set_index(["paper", "id"])
    return pd.DataFrame(
        {
            "paper": paper,
            "id": row.id,
            "where": sentences.at[(paper, row.id), "where"].format(**row.words),
            "published": row.published,
            "computed": row.computed,
            "unit": sentences.at[(paper, row.id), "unit"].format(**row.words),
            "verdict": str(row.verdict),
            "explanation": sentences.at[(paper, row.id), "explanation"].format(**row.words),
            "section": row.section(paper),
        }
        for paper, of_paper in findings.items()
        for row in sorted(of_paper, key=lambda row: row.number)
    )


COLUMNS = (
    Column("paper", "Paper"),
    Column("id", "Row"),
    Column("where", "Where"),
    Column("published", "Published"),
    Column("computed", "Computed"),
    Column("unit", "Unit"),
    VERDICT,
    Column("explanation", "Explanation", width="7cm"),
    Column("section", "Argued in"),
)
