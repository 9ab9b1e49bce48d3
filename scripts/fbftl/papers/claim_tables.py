"""Tables of a paper's claims: what each comes to, and every part that it rests on."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fbftl.findings.claim_pages import effect_words
from fbftl.findings.published import ROUNDING
from fbftl.findings.shown import method_label, setting_name
from fbftl.findings.tables import SEEDS, VERDICT, Column, prefixed
from fbftl.findings.wording import axes_of, words
from fbftl.ground.errors import required
from fbftl.ground.files import csv_rows
from fbftl.papers.claim_rows import ClaimForm, ClaimRow, Part, Side, read_rows, read_tasks
from fbftl.papers.claim_rule import ClaimVerdict, is_ratio
from fbftl.papers.evaluated import NOT_KEPT, NOT_RUN, ClaimFinding, PartFinding, evaluate, rules_of
from fbftl.papers.quantities import read_kept, runs_by_task
from fbftl.papers.record import PaperRecord

FORMULA, NO_EVIDENCE = "formula", "none"

FEW, FEW_NOTES = 3, 6
"""Parts that a claim's row shows one by one, and those that say what a formula gives."""

MOST_PAIRS, MOST_LETTERS = 4, 80
"""Pairs of sides that a claim's row names, and letters of several."""

STRENGTHS = ("full size", "full-size data", "small", FORMULA)
"""Of evidence, the strongest first: data and networks of a document's size, data alone, neither."""


ABBREVIATED = re.compile(r"\b(psnr|ssim|cka|cca)\b")
"""Measures in capitals."""

UNITS = {
    "delta_eo": " (ΔEO)",
    "leak": " (share of groups read)",
    "membership": " (AUC)",
    "psnr": " dB",
}
"""What is written behind a difference in a measure that its name would not tell."""

ABSENT = {
    "adversary": "no adversary",
    "mechanism": "no noise",
    "keep_activations": "all activations and gradients",
}
"""What is written of a side that lacks an axis of the other and has none of its own."""

MILLION = 10**6


def readable(value: float) -> str:
    """Return counts without places, a quantity below a tenth with two digits, others with two.

    Millions and more have three digits and a prefix. What sums of floats are off by is nothing.
    """
    if not math.isfinite(value):
        return "unbounded"
    if abs(value) < ROUNDING:
        value = 0.0
    if abs(value) >= MILLION:
        return f"{'-' if value < 0 else ''}{prefixed(abs(value))}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 0.1 or value == 0 else f"{value:.2g}"


NAMED = re.compile(r"(?:(\w+)=)?(?:([\w.]+): )?(.*)")
"""What a part is called: `name=value`, and before a value its measure."""

CLAIMS = (
    Column("claim", "Claim", page=True),
    Column("says", "Says", width="6cm", page=True),
    Column("place", "Place"),
    Column("printed", "Printed", width="3cm", page=True),
    VERDICT,
    Column("effect", "Effect", format=effect_words, width="6cm", page=True),
    Column("evidence", "Evidence", page=True),
    Column("parts", "Parts"),
    Column("note", "Note", width="4cm"),
)

PARTS = (
    Column("claim", "Claim", page=True),
    Column("task", "Task", page=True),
    Column("part", "Part", width="4cm", page=True),
    Column("form", "Form", page=True),
    Column("margin", "Margin"),
    Column("measure", "Measure", page=True),
    Column("effect", "Effect", format=readable, page=True),
    Column("lower", "Lower bound", format=readable, page=True),
    Column("upper", "Upper bound", format=readable, page=True),
    SEEDS,
    VERDICT,
    Column("note", "Note", width="6cm"),
)


Found = Sequence[tuple[ClaimRow, PartFinding]]
"""Parts, each behind its row."""


def findings_of(
    paper: str, planned: Mapping[str, Sequence[str]], files: Mapping[str, Any]
) -> list[ClaimFinding]:
    """Return what each claim of a paper comes to by the files of a study.

    Args:
        paper: its word.
        planned: names of the settings of the study, by task; of other tasks plans are unknown.
        files: paths of the paper's `registry` of claims, of `tasks` of all registries and of the
            `audit` of all papers; several of what is `printed` of the paper, of its runs
            (`experiments`, `series`, `uplinks` and `beside`, as `runs_by_task` takes them), and of
            runs of other tasks that stand in the project (`kept`, as `read_kept` takes them).
    """
    of_runs = {name: files[name] for name in ("experiments", "series", "uplinks", "beside")}
    rows = read_rows(files["registry"])
    named = {task for row in rows for task in row.tasks}
    kept = read_kept(path for path in files["kept"] if named & {*Path(path).parts})
    runs = kept | runs_by_task(**of_runs)
    planned = {name: of.settings for name, of in runs.items()} | dict(planned)
    audit = {row["id"]: row for row in csv_rows(files["audit"]) if row["paper"] == paper}
    record = PaperRecord.of(files["printed"], audit=audit)
    return evaluate(rows, read_tasks(files["tasks"], planned), runs, record, rules_of(paper))


def claims_table(findings: Sequence[ClaimFinding]) -> pd.DataFrame:
    """Return a row for each claim, those first that a document's page leads with."""
    return pd.DataFrame(_claim(of) for of in sorted(findings, key=_rank))


def _rank(finding: ClaimFinding) -> float:
    return min(float(row.headline or math.inf) for row, _ in finding.clauses)


def _claim(finding: ClaimFinding) -> dict[str, object]:
    first, parts = finding.clauses[0][0], [part for _, found in finding.clauses for part in found]
    compared = [part for part in parts if part.verdict is not ClaimVerdict.NOT_TESTABLE]
    exists = bool(compared) and all(row.form is ClaimForm.EXISTS for row, _ in finding.clauses)
    unrun = bool(parts) and all(part.note in (NOT_RUN, NOT_KEPT) for part in parts)
    return {
        "claim": finding.id,
        "headline": first.headline,
        "says": first.says,
        "place": first.place,
        "printed": _once(of for row, _ in finding.clauses for of in row.printed.split("; ")),
        "verdict": NOT_RUN if unrun else str(finding.verdict),
        "effect": _effects(finding, compared),
        "evidence": _evidence(compared) + "; one case anywhere suffices" * exists,
        "parts": f"{len(compared)} of {len(parts)}",
        "note": _once(row.reason for row, _ in finding.clauses),
    }


def _once(texts: Iterable[str]) -> str:
    """Return texts one after the other, those that are equal once."""
    return "; ".join(dict.fromkeys(filter(None, texts)))


def _evidence(compared: Sequence[PartFinding]) -> str:
    """Return the tasks of parts by how strong their evidence is, the strongest first."""
    strengths = {of.part.task.name: of.part.task.names.get("strength", FORMULA) for of in compared}
    shown = []
    for strength in STRENGTHS:
        if named := [name for name, of in strengths.items() if of == strength]:
            shown.append(": ".join([strength, *filter(None, [", ".join(named)])]))
    return "; ".join(shown) or NO_EVIDENCE


def _effects(finding: ClaimFinding, compared: Sequence[PartFinding]) -> str:
    """Return what parts found: each of a few, of more how many are what, and between what."""
    if not compared:
        return _once(of.note for _, parts in finding.clauses for of in parts)
    found = [(row, of) for row, parts in finding.clauses for of in parts if of in compared]
    pairs = [_pair(row, of.part) for row, of in found]
    sides = _once(row.sides for row, _ in found)
    is_one = bool(sides) or len({*pairs}) == 1
    few = FEW_NOTES if all(math.isnan(of.effect) for of in compared) else FEW
    if len(compared) <= FEW and not is_one:
        names = [_joined([pair]) for pair in pairs]
        if len({*names}) < len(names):  # what parts compare does not tell them apart
            values = [_worded(of.part.name) for _, of in found]
            names = [": ".join(filter(None, both)) for both in zip(values, names, strict=True)]
        return _once(_shown(*of, name) for of, name in zip(found, names, strict=True))
    sides = sides or _all_sides(pairs, [of.part for _, of in found])
    before = f"{sides}: " if sides else ""
    if len(compared) <= few:
        return before + _once(_shown(row, of) for row, of in found)
    counts = Counter(str(of.verdict) for of in compared)
    shown = [f"{count} {verdict}" for verdict, count in counts.most_common()]
    for unit, effects in _by_unit(found).items():
        least, most = readable(min(effects)), readable(max(effects))
        shown.append(f"{least}{unit}" if least == most else f"from {least} to {most}{unit}")
    return before + "; ".join(shown)


Pair = tuple[str, str, str]
"""Words of the first side, of the sign, and of the second side."""


def _pair(row: ClaimRow, part: Part) -> Pair | None:
    """Return what a part compares, each side by the words that the other lacks.

    None where a side is no single measure.
    """
    if not len(part.a.terms) == len(part.b.terms) == 1:
        return None
    terms = (*part.a.terms, *part.b.terms)
    names = [[*setting_name(of.setting).split(", "), _measured(of.measure)] for of in terms]
    axes = [axes_of(of.setting).keys() for of in terms]
    sides = []
    for one, other in ((0, 1), (1, 0)):
        apart = [of for of in names[one] if of not in names[other]]
        lacking = [ABSENT[axis] for axis in ABSENT if axis in axes[other] - axes[one]]
        sides.append(", ".join(apart or lacking or names[one][:1]))
    return sides[0], " over " if is_ratio(row.form, row.least) else " minus ", sides[1]


def _all_sides(pairs: Sequence[Pair | None], parts: Sequence[Part]) -> str:
    """Return what all parts compare; of more than readers follow, the methods alone.

    Empty where a part has no pair, or pairs are many and not told apart by methods.
    """
    named = [*dict.fromkeys(pairs)]
    text = _joined(named) if len(named) <= MOST_PAIRS else ""
    if None in pairs or len(named) == 1 or 0 < len(text) <= MOST_LETTERS:
        return text
    methods = [
        (_method(part.a), pair[1], _method(part.b))
        for pair, part in zip(pairs, parts, strict=True)
        if pair
    ]
    between = _joined([*dict.fromkeys(methods)])
    is_told = all(a != b for a, _, b in methods) and len(between) <= MOST_LETTERS
    return between if is_told else text


def _method(side: Side) -> str:
    """Return the method of a side of one measure."""
    return setting_name(side.terms[0].setting).partition(", ")[0]


def _joined(pairs: Sequence[Pair | None]) -> str:
    """Return pairs in words, those that share a side together; empty where one is none."""
    if not all(pairs):
        return ""
    by_second: dict[tuple[str, str], list[str]] = {}
    for first, sign, second in filter(None, pairs):
        by_second.setdefault((sign, second), []).append(first)
    by_firsts: dict[tuple[str, str], list[str]] = {}
    for (sign, second), firsts in by_second.items():
        by_firsts.setdefault((" or ".join(firsts), sign), []).append(second)
    return "; ".join(
        f"{firsts}{sign}{' or '.join(seconds)}" for (firsts, sign), seconds in by_firsts.items()
    )


def _by_unit(found: Found) -> dict[str, list[float]]:
    """Return the effects of a claim's clauses, ratios and differences apart."""
    effects: dict[str, list[float]] = {}
    for row, of in found:
        if not math.isnan(of.effect):
            effects.setdefault(_unit(row, of), []).append(of.effect)
    return effects


def _shown(row: ClaimRow, found: PartFinding, sides: str = "") -> str:
    """Return what a part found, with its interval, or what its formula computed.

    sides: what it compares, where that tells it from the others.
    """
    if math.isnan(found.effect):
        return found.note
    mean, lower, upper = map(readable, (found.effect, found.lower, found.upper))
    named = sides or _worded(found.part.name)
    return f"{f'{named}: ' if named else ''}{mean} [{lower}, {upper}]{_unit(row, found)}"


def _worded(part: str) -> str:
    """Return in words the values that tell a part from others."""
    values = (" to ".join(map(_in_words, value.split(" to "))) for value in part.split(", "))
    return ", ".join(filter(None, values))


def _in_words(named: str) -> str:
    """Return `name=value` in words; the value may be a setting, or a measure of one."""
    name, measure, value = required(NAMED.fullmatch(named)).groups()
    if "=" in value:
        setting = setting_name(value)
        return f"{_measured(measure)} of {setting}" if measure else setting
    if not name or method_label(value) != value:
        return method_label(value)
    return value and words(name, value)


def _measured(measure: str) -> str:
    """Return a measure in words."""
    words_of = re.sub(r" x(?=\d)", " at width ", measure.replace("_", " "))
    return ABBREVIATED.sub(lambda found: found[0].upper(), words_of)


def _unit(row: ClaimRow, found: PartFinding) -> str:
    """Return the unit of a part's effect: a ratio's, or that of a difference in its measure."""
    if is_ratio(row.form, row.least):
        return " times"
    measure = found.part.measure
    default = " points" if "accuracy" in measure else f" ({_measured(measure)})"
    return UNITS.get(measure, default)


def parts_table(findings: Sequence[ClaimFinding]) -> pd.DataFrame:
    """Return a row for each part of all claims; effects of ratios are numbers of times."""
    return pd.DataFrame(
        {
            "claim": finding.id,
            "task": found.part.task.name,
            "part": found.part.name,
            "form": str(row.form),
            "margin": row.margin,
            "measure": found.part.measure,
            "effect": found.effect,
            "lower": found.lower,
            "upper": found.upper,
            "seeds": found.seeds or None,
            "verdict": str(found.verdict),
            "note": found.note,
        }
        for finding in findings
        for row, parts in finding.clauses
        for found in parts
    )
