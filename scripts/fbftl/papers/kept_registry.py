"""Kept tables of a paper read anew by today's registry: numbers stay, what is said of them may not.

A kept comparison has its mean and its interval. When a margin, a printed size, a form or the number
of tested sentences is corrected in `published/`, its verdict follows from these without a run; when
a comparison leaves the registry, so does its row; and every text is the registry's. What was
measured is named by the words of the claim (`compares`): under other words it is another quantity,
which a study has to run.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fbftl.findings.front import rows
from fbftl.findings.kept_tables import line_of, lines_of, write_lines
from fbftl.findings.sentence_rule import (
    Form,
    Judgement,
    Stated,
    errors_away,
    judged_by,
    over_parts,
    stated,
)
from fbftl.findings.tables import Column
from fbftl.ground.errors import UserError
from fbftl.papers.claims import OURS, number
from fbftl.papers.comparisons import (
    COLUMNS as COLUMNS_OF_PARTS,
)
from fbftl.papers.comparisons import (
    COLUMNS_OF_HYPOTHESES,
    NO_VERDICT,
    NOT_RUN,
    readable,
)
from fbftl.papers.kept_tasks import overall_of
from fbftl.papers.registry import BY_FORMULA, TESTED, Sentence, number_tested, read_sentences
from fbftl.papers.sentences import COLUMNS as COLUMNS_OF_SENTENCES
from fbftl.papers.sentences import FORMULA, NOT_COMPUTED
from fbftl.study.sizes import Size

Row = Mapping[str, str]
"""A row of a table by column; an empty cell is an empty text."""

TEXTS = ("compares", "origin", "form", "margin")
"""Columns of `published/claims.csv` that a table of comparisons has too."""


def read_anew(tables: Path, published: Path, paper: str) -> None:
    """Read a paper's kept tables anew.

    Args:
        tables: their folder.
        published: the project's folder of that name.
        paper: its word.

    Raises:
        UserError: if the verdict of a full study cannot be read anew.
    """
    registry = read_sentences(published / paper / "sentences.csv")
    claims = [row for row in rows(published / "claims.csv") if row["paper"] == paper]
    by_system = number_tested(registry)
    tested = {sentence.id: by_system.get(sentence.system, 0) for sentence in registry}
    of_ours = [claim for claim in claims if claim["sentence"] == OURS]
    of_sentences = [claim for claim in claims if claim["sentence"] != OURS]
    columns = columns_of(tables / "parts.csv")
    parts = comparisons(rows(tables / "parts.csv"), of_sentences, tested, columns)
    ours = {OURS: len(of_ours)}
    hypotheses = comparisons(rows(tables / "hypotheses.csv"), of_ours, ours, columns)
    kept = rows(tables / "sentences.csv")
    rewrite(tables / "parts.csv", parts, COLUMNS_OF_PARTS)
    rewrite(tables / "hypotheses.csv", hypotheses, COLUMNS_OF_HYPOTHESES)
    rewrite(
        tables / "sentences.csv",
        sentences(registry, kept, parts, by_system),
        COLUMNS_OF_SENTENCES,
    )


def columns_of(table: Path) -> list[str]:
    """Return the names in the first line of a csv."""
    return table.read_text(encoding="utf-8").partition("\n")[0].split(",")


def rewrite(table: Path, now: Sequence[dict[str, str]], columns: Sequence[Column]) -> None:
    """Give a kept table other rows; those that are as they were keep their lines."""
    lines = {tuple(line.cells.items()): line for line in lines_of(table)}
    write_lines(table, [lines.get(tuple(row.items())) or line_of(row, columns) for row in now])


def comparisons(
    kept: Sequence[Row],
    claims: Sequence[Row],
    tested: Mapping[str, int],
    columns: Sequence[str],
) -> list[dict[str, str]]:
    """Return the rows of a kept table of comparisons as today's registry has them.

    Args:
        kept: rows of `parts.csv` or of `hypotheses.csv`.
        claims: rows of `published/claims.csv` that the table is of.
        tested: m, by sentence; of hypotheses how many there are, under `OURS`.
        columns: of the table.

    Raises:
        UserError: if the verdict of a full study cannot be read anew.
    """
    by_claim: dict[tuple[str, str], list[Row]] = {}
    for row in kept:
        by_claim.setdefault((row["sentence"], row["part"]), []).append(row)
    found = []
    for claim in claims:
        m = tested[claim["sentence"]]
        before = by_claim.get((claim["sentence"], claim["part"]), [])
        read = [_read(row, claim, m) for row in before if row["task"]]
        found += [row for row in read if row] or [_unrun(claim, columns, m)]
    return found


def _unrun(claim: Row, columns: Sequence[str], tested: int) -> dict[str, str]:
    """Return the row of a claim that was run on no task."""
    plain = {"diverged": "0", "verdict": NOT_RUN, "tested": str(tested)}
    return dict.fromkeys(columns, "") | _of_claim(claim) | plain


def _of_claim(claim: Row) -> dict[str, str]:
    """Return what a row has of its claim, however it came out."""
    named = {"sentence": claim["sentence"], "part": claim["part"]}
    unit = "times" if claim["ratio"] == "yes" else claim["unit"]
    texts = {column: claim[column] for column in TEXTS}
    return named | texts | {"printed_size": claim["size"], "unit": unit}


def _read(row: Row, claim: Row, tested: int) -> dict[str, str] | None:
    """Return a row that was run, None if it measured another quantity than the claim's."""
    of_claim = _of_claim(claim)
    if any(row[column] != of_claim[column] for column in ("compares", "unit")):
        if row["size"] == str(Size.FULL):
            raise UserError(
                f"{row['sentence']}, {row['part']}: {row['task']} compared "
                f"{row['compares']!r} in {row['unit']}, which the registry calls "
                f"{claim['compares']!r}; run it again, or leave its words"
            )
        return None
    ratio = claim["ratio"] == "yes"
    beside = None if ratio else float(row["first_mean"])
    of = stated(
        Form(claim["form"]), number(claim["margin"]), number(claim["size"]), claim["unit"], beside
    )
    bounds = {name: float(row[name]) for name in ("compared", "lower", "upper")}
    if int(row["tested"]) != tested:
        bounds = _at_level(row, bounds, ratio, tested)
    reach = math.exp(of.reach) if ratio else of.reach
    numbers = {**bounds, "reach": reach}
    verdict = _verdict(row, bounds, of, ratio)
    return {
        **row, **of_claim,
        **{name: _as_kept(row[name], value) for name, value in numbers.items()},
        "margin": _as_kept(row["margin"], number(claim["margin"])),
        "printed_size": _as_kept(row["printed_size"], number(claim["size"])),
        "reach_is": "ours" if of.ours else "printed", "verdict": verdict, "tested": str(tested),
    }  # fmt: skip


def _as_kept(cell: str, value: float | None) -> str:
    """Return a number as a cell has it, the cell's own where it is that number."""
    if value is None:
        return ""
    return cell if cell and math.isclose(float(cell), value, rel_tol=1e-12) else repr(value)


def _verdict(row: Row, bounds: Mapping[str, float], of: Stated, ratio: bool) -> str:
    """Return the verdict of a full study; of others that there is none."""
    if row["size"] != str(Size.FULL):
        return NO_VERDICT
    lower, upper = (math.log(bounds[end]) if ratio else bounds[end] for end in ("lower", "upper"))
    return str(judged_by(lower, upper, _pairs(row), of))


def _pairs(row: Row) -> int:
    """Return the seeds that both sides have at most."""
    return int(min(float(row["first_seeds"]), float(row["second_seeds"])))


def _at_level(row: Row, bounds: Mapping[str, float], ratio: bool, tested: int) -> dict[str, float]:
    """Return a mean with its interval among another number of tested sentences."""
    if row["first_seeds"] != row["second_seeds"]:
        raise UserError(
            f"{row['sentence']}, {row['part']}: of {row['task']} it is not kept how many seeds "
            f"both sides have, so that no interval among {tested} sentences follows; run it again"
        )
    if _pairs(row) < 2:
        return dict(bounds)
    mean, lower, upper = (math.log(value) if ratio else value for value in bounds.values())
    wider = errors_away(_pairs(row), tested) / errors_away(_pairs(row), int(row["tested"]))
    half = (upper - lower) / 2 * wider
    values = mean, mean - half, mean + half
    return dict(zip(bounds, map(math.exp, values) if ratio else values, strict=True))


def sentences(
    registry: Iterable[Sentence],
    kept: Sequence[Row],
    parts: Sequence[Row],
    tested: Mapping[str, int],
) -> list[dict[str, str]]:
    """Return the rows of a kept table of sentences as today's registry and the parts have them.

    Args:
        registry: the paper's sentences.
        kept: rows of `sentences.csv`.
        parts: rows of `parts.csv`, read anew before.
        tested: m, by system.
    """
    found = []
    for sentence in registry:
        wording = {
            "system": sentence.system, "sentence": sentence.id, "says": sentence.says,
            "place": sentence.place, "printed": sentence.margin,
        }  # fmt: skip
        before = [row for row in kept if row["sentence"] == sentence.id]
        of_parts = [row for row in parts if row["sentence"] == sentence.id]
        on_tasks = (
            _tested(sentence, before, of_parts)
            if sentence.status == TESTED
            else [_untested(sentence, before)]
        )
        m = str(tested.get(sentence.system, 0))
        found += [wording | row | {"tested": m} for row in on_tasks]
    return found


def _tested(
    sentence: Sentence, before: Sequence[Row], parts: Sequence[Row]
) -> list[dict[str, str]]:
    """Return a row for each task that ran a part, or one that says that none did."""
    names = {row["part"] for row in parts}
    by_task: dict[str, list[Row]] = {}
    for row in parts:
        if row["task"]:
            by_task.setdefault(row["task"], []).append(row)
    # Tasks stand in the order of the kept table.
    order = [row["task"] for row in before]
    tasks = sorted(by_task, key=lambda task: order.index(task) if task in order else len(order))
    overall = _overall(parts)
    if not tasks:
        return [_plain(NOT_RUN, sentence.reason)]
    diverged = {row["task"]: row["diverged"] for row in before}
    return [
        {
            "task": task,
            "size": by_task[task][0]["size"],
            "measured": "; ".join(map(_measured, by_task[task])),
            "parts": f"{len(by_task[task])} of {len(names)}",
            "seeds": repr(float(min(map(_pairs, by_task[task])))),
            "diverged": diverged[task],
            "verdict": _on_task(by_task[task]),
            "overall": overall,
            "note": sentence.reason,
        }
        for task in tasks
    ]


def _overall(parts: Sequence[Row]) -> str:
    """Return what a sentence comes to over all tasks; without a full study that there is none."""
    sizes = {row["size"] for row in parts}
    if str(Size.FULL) in sizes:
        return str(overall_of(parts))
    return NO_VERDICT if str(Size.QUICK) in sizes else NOT_RUN


def _on_task(parts: Sequence[Row]) -> str:
    if parts[0]["size"] != str(Size.FULL):
        return NO_VERDICT
    return str(over_parts(Judgement(row["verdict"]) for row in parts))


def _measured(part: Row) -> str:
    mean, lower, upper = (readable(float(part[name])) for name in ("compared", "lower", "upper"))
    return f"{part['compares']}: {mean} [{lower}, {upper}] {part['unit']}"


def _plain(verdict: str, note: str, measured: str = "") -> dict[str, str]:
    return {
        "task": "", "size": "", "measured": measured, "parts": "", "seeds": "", "diverged": "",
        "verdict": verdict, "overall": verdict, "note": note,
    }  # fmt: skip


def _untested(sentence: Sentence, before: Sequence[Row]) -> dict[str, str]:
    """Return the row of a sentence that no run tests; what a formula computed stays."""
    computed = [row for row in before if row["verdict"] in FORMULA.values()]
    if sentence.status == BY_FORMULA:
        if computed:
            return _plain(computed[0]["verdict"], computed[0]["note"], computed[0]["measured"])
        return _plain(NOT_COMPUTED, sentence.reason)
    return _plain(sentence.status, sentence.reason)
