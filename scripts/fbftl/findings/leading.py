"""What a paper's page leads with: a few of its sentences, each with what became of it here.

A page names them between two comments that Markdown does not show, ``<!--leading:fbftl-02
fbftl-10-->`` and ``<!--end-->``. Words and place are those of the registry
(`published/{paper}/sentences.csv`), numbers and verdicts those of the kept results
(`docs/results/papers/{paper}/tables/sentences.csv`), of full studies alone: where none is kept, the
page says that the sentence is to be run. Each task has a line of a cell. Where a task ran many
parts of a sentence, the line counts what they came to and shows the first of each; all are in
`tables/parts.csv`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fbftl.findings.coverage import under
from fbftl.findings.front import rows
from fbftl.findings.sentence_rule import Judgement
from fbftl.ground.errors import UserError

Row = Mapping[str, str]
"""A row of a registry or of a kept table."""

PLACE = re.compile(r"(?<=<!--leading:)(?P<names>[\w -]+)-->\n.*?(?=<!--end-->)", re.DOTALL)
"""Where sentences go, with what fills it now."""

HEADING = ["here", "sentence", "printed", "ours, with its interval", "scale"]

TO_BE_RUN = "to be run"
"""What a page says of a sentence without a full study."""

WITHOUT_VERDICT = {
    "quick: no verdict": f"{TO_BE_RUN}; a quick study gives no verdict",
    "pilot: no verdict": f"{TO_BE_RUN}; a pilot gives no verdict",
    "not run": TO_BE_RUN,
    "tested": TO_BE_RUN,
    "by formula": "by formula: not computed",
}
"""How the page puts a verdict, or a status of the registry, that decides nothing."""

LISTED = 3
"""Parts up to which a cell shows all that a task ran of a sentence."""

CAME_TO: Mapping[str, str] = {
    Judgement.HOLDS: "hold",
    Judgement.CONTRARY: "come to the contrary",
    Judgement.NO_DIFFERENCE: "make no difference of h",
    Judgement.UNDECIDED: "undecided",
}
"""What parts do that came to a verdict."""

SCIENTIFIC = re.compile(r"\b\d\.\d+e\+0[0-6]\b")
"""Numbers below ten millions that a table prints with an exponent."""


def registered(folder: Path) -> dict[str, Row]:
    """Return the rows of all registries below `published/`, by sentence."""
    return {row["id"]: row for file in sorted(folder.glob("*/sentences.csv")) for row in rows(file)}


def outcomes(folders: Iterable[Path]) -> dict[str, list[Row]]:
    """Return the rows of all papers' tables of sentences, by sentence.

    Each has one cell more, `shown`: what was measured, shortened where it is of many parts.

    Args:
        folders: a folder of results of each paper; one without the table is passed over, and all
            parts are shown where the table of parts is not beside it.
    """
    by_sentence: dict[str, list[Row]] = {}
    for tables in (folder / "tables" for folder in sorted(folders)):
        if not (tables / "sentences.csv").is_file():
            continue
        of_parts: dict[tuple[str, str], dict[str, str]] = {}
        parts = tables / "parts.csv"
        for part in rows(parts) if parts.is_file() else ():
            verdicts = of_parts.setdefault((part["sentence"], part["task"]), {})
            verdicts[part["compares"]] = part["verdict"]
        for row in rows(tables / "sentences.csv"):
            verdicts = of_parts.get((row["sentence"], row["task"]), {}) if row["task"] else {}
            shown = shortened(row["measured"], verdicts)
            by_sentence.setdefault(row["sentence"], []).append({**row, "shown": shown})
    return by_sentence


def shortened(measured: str, verdicts: Mapping[str, str]) -> str:
    """Return measured parts as they are if they are few, else by verdict, with the first of each.

    Args:
        measured: of a sentence on one task, its parts one after the other.
        verdicts: what each part came to, by the words for what it compares.
    """
    parts: dict[str, list[str]] = {}
    for part in measured.split("; ") if verdicts else ():
        parts.setdefault(verdicts[part.rpartition(": ")[0]], []).append(part)
    count = sum(map(len, parts.values()))
    if count <= LISTED:
        return plain(measured)
    groups = []
    for verdict, of_verdict in parts.items():
        what = CAME_TO.get(verdict, f"({verdict})")
        such_as = "such as " if len(of_verdict) > 1 else ""
        groups.append(f"{len(of_verdict)} of {count} {what}, {such_as}{of_verdict[0]}")
    return plain("; ".join(groups))


def verdict_of(registry_row: Row, found: Sequence[Row]) -> str:
    """Return what became of a sentence over all tasks, in the words of the page.

    Args:
        registry_row: its row of the registry.
        found: its rows of the kept table, none if nothing is kept.
    """
    verdict = found[0]["overall"] if found else registry_row["status"]
    return WITHOUT_VERDICT.get(verdict, verdict)


def scale_of(row: Row) -> str:
    """Return on what a kept row rests: task, size and seeds, or what decides it without runs."""
    if not row["task"]:
        return row["note"]
    seeds = f", {float(row['seeds']):.0f} seeds" if row["seeds"] else ""
    return f"`{row['task']}`, {row['size']}{seeds}"


def plain(measured: str) -> str:
    """Return measured numbers with thousands instead of small exponents, equal ones once."""
    thousands = SCIENTIFIC.sub(lambda match: f"{float(match[0]):,.0f}", measured)
    return " / ".join(dict.fromkeys(map(_once, thousands.split(" / "))))


def _once(group: str) -> str:
    """Return numbers of one kind: pairs that are equal once, and equal numbers once and counted."""
    pairs = list(dict.fromkeys(group.split(" | ")))
    values = pairs[0].split("; ")
    if len(pairs) == 1 and len(values) > 1 and len(set(values)) == 1:
        return f"{values[0]}, {len(values)} of {len(values)} alike"
    return " | ".join(pairs)


def cells(registry_row: Row, found: Sequence[Row]) -> list[str]:
    """Return the cells of a sentence under `HEADING`; tasks are lines of one cell."""
    verdict = verdict_of(registry_row, found)
    several = len(found) > 1
    measured = [
        f"`{row['task']}`: {row['shown']}" if several and row["task"] else row["shown"]
        for row in found
    ]
    scales = [scale_of(row) for row in found] or [registry_row["reason"]]
    texts = [
        f"**{verdict}**",
        f"`{registry_row['id']}`: {registry_row['says']} ({registry_row['place']})",
        registry_row["margin"],
        "<br>".join(filter(None, measured)),
        "<br>".join(filter(None, scales)),
    ]
    return [text.replace("|", r"\|") for text in texts]


def fill_leading(
    text: str, registry: Mapping[str, Row], found: Mapping[str, Sequence[Row]], page: str
) -> str:
    """Return a page with its leading sentences where it names them.

    Args:
        text: the page, in Markdown.
        registry: rows of the registries by sentence.
        found: rows of the kept tables by sentence.
        page: for the sentence.

    Raises:
        UserError: if a name is no sentence of a registry.
    """

    def filled(match: re.Match[str]) -> str:
        names = match["names"].split()
        if unknown := [name for name in names if name not in registry]:
            raise UserError(
                f"{page} leads with the sentence '{unknown[0]}', which no "
                "published/*/sentences.csv has; correct the name, or add the row"
            )
        lines = [cells(registry[name], found.get(name, ())) for name in names]
        table = "".join(f"| {' | '.join(row)} |\n" for row in under(HEADING, lines))
        return f"{match['names']}-->\n\n{table}\n"

    return PLACE.sub(filled, text)
