"""The audit table: a row per finding about a paper, the rows of all papers together.

A finding is computed by a function in an `audit*.py` of its paper's folder, which is called as the
row in small letters, `a7`; what the row says of it is in `published/audit.csv`. A module whose
findings are argued on a page of their own names it as `PAGE`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from importlib import import_module

import pandas as pd

from fbftl.findings.published import Verdict, formula_verdict
from fbftl.findings.tables import VERDICT, Column
from fbftl.papers import modules
from fbftl.papers.record import PaperRecord

Number = Decimal | Fraction | int | float | str
Form = str | Callable[[Number], str]

FINDING = re.compile(r"a(\d+)")
"""Name of a function that computes a finding."""


@dataclass(frozen=True)
class AuditFinding:
    """What a paper prints, and what follows from its own record.

    published, computed: both values, as they are shown.
    words: numbers and names that the row's sentences leave open, by their names there.
    """

    published: str
    computed: str
    verdict: Verdict
    words: Mapping[str, object]


def finding(
    published: Sequence[Number] | str,
    computed: Sequence[Number] | str,
    form: Form = "{}",
    *,
    printed: Form = "{}",
    between: str = "; ",
    unit: str = "",
    shown: tuple[str, str] | None = None,
    **words: object,
) -> AuditFinding:
    """Return a finding whose numbers are shown as they are judged.

    Args:
        published: the numbers as they are printed; a text is shown, and has no number.
        computed: exact; a text is shown, and has no number.
        form: how a computed number is shown, a format or a function.
        printed: how a published one is shown.
        between: what is shown between two numbers of a side.
        unit: of the published numbers; the computed ones are in bits where it is one of bits.
        shown: both sides in words, where these are not their numbers.
        words: as in `AuditFinding`.
    """
    sides = [
        side if isinstance(side, str) else between.join(_shown(number, how) for number in side)
        for side, how in ((published, printed), (computed, form))
    ]
    numbers = [() if isinstance(side, str) else side for side in (published, computed)]
    return AuditFinding(*(shown or sides), judged(*numbers, unit), words)


def _shown(number: Number, how: Form) -> str:
    """Return a number in a form; Python's fractions do not take all formats yet."""
    if callable(how):
        return how(number)
    return how.format(float(number) if isinstance(number, Fraction) else number)


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


def found(paper: str, record: PaperRecord) -> Iterator[tuple[int, str, AuditFinding]]:
    """Yield number, page and value of each finding about a paper, in no order."""
    for module in map(import_module, modules(paper, "audit")):
        for name, function in vars(module).items():
            if match := FINDING.fullmatch(name):
                yield int(match[1]), getattr(module, "PAGE", paper), function(record)


def table(records: Mapping[str, PaperRecord], texts: pd.DataFrame) -> pd.DataFrame:
    """Return the audit table of papers, each one's findings in the order of their numbers.

    Args:
        records: by paper.
        texts: columns `paper`, `id`, `where`, `unit` and `explanation`; a name in braces is one of
            the finding's words.

    Raises:
        KeyError: if a finding has no text, or a text a name that the finding has no word for.
    """
    sentences = texts.set_index(["paper", "id"])
    return pd.DataFrame(
        {
            "paper": paper,
            "id": f"A{number}",
            "where": sentences.at[(paper, f"A{number}"), "where"].format(**of.words),
            "published": of.published,
            "computed": of.computed,
            "unit": sentences.at[(paper, f"A{number}"), "unit"].format(**of.words),
            "verdict": str(of.verdict),
            "explanation": sentences.at[(paper, f"A{number}"), "explanation"].format(**of.words),
            "section": f"docs/papers/{page}.md#a{number}",
        }
        for paper, record in records.items()
        for number, page, of in sorted(found(paper, record), key=lambda row: row[0])
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
