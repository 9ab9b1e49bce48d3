"""All verdicts as one page: claim, method, data, result, what was easy, what was hard, cost.

The page needs nothing beside it. Its words are those of `published/`, its numbers and verdicts
those of finished tables of sentences, of kept results or of a study's own.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from fbftl.findings.coverage import ABSENT, Item, core_hours
from fbftl.findings.front import rows, tally
from fbftl.findings.leading import Row, scale_of, verdict_of
from fbftl.findings.scoreboard import COLUMNS, SENTENCES, Scores
from fbftl.findings.story import alternative_of
from fbftl.ground.errors import UserError
from fbftl.ground.files import read_json

STYLE = """\
body { font: 11pt/1.45 Georgia, serif; color: #222; max-width: 52rem; margin: 2rem auto;
  padding: 0 1rem; }
h1, h2, h3, th { font-family: system-ui, sans-serif; }
table { border-collapse: collapse; width: 100%; font-size: 9pt; }
th, td { border-bottom: 1px solid #ddd; padding: .2rem .4rem .2rem 0; text-align: left;
  vertical-align: top; }
td { overflow-wrap: anywhere; }
td.count { text-align: right; }
img { max-width: 100%; max-height: 16rem; }
dt { font-family: system-ui, sans-serif; font-weight: bold; } dd { margin: 0 0 .6rem 0; }
.yes { color: #00694f; } .no { color: #a23b00; }
@page { size: A4; margin: 18mm; }
@media print { body { margin: 0; max-width: none; } h2 { break-before: page; } tr {
  break-inside: avoid; } }
"""


@dataclass(frozen=True)
class Document:
    """A document in the article.

    paper: its word.
    says: what it is about, in lines.
    systems: of its sentences, each with a study.
    sentences: its registry's rows.
    found: rows of the table of sentences, by sentence.
    settings, repetitions: how many settings its kept results rest on, and runs over all seeds.
    missing_hours: of one core, at least, for the tables and figures that are absent for their size.
    easy, hard: what it was to reproduce, in words.
    figure: an SVG of its results, or None.
    """

    paper: str
    title: str
    says: Sequence[str]
    systems: Sequence[str]
    sentences: Sequence[Row]
    found: Mapping[str, Sequence[Row]]
    settings: int
    repetitions: int
    missing_hours: float
    easy: str
    hard: str
    figure: str | None


def read_documents(
    root: Path, papers: Path, items: Sequence[Item], found: Mapping[str, Sequence[Row]]
) -> list[Document]:
    """Return the documents in the order of `published/papers.csv`.

    Args:
        root: the project's folder, whose `published/` has the words.
        papers: folder of results with a folder of each paper.
        items: tables and figures of all papers.
        found: rows of the tables of sentences, by sentence.

    Raises:
        UserError: if a paper has no row in `published/experience.csv`.
    """
    published, documents = root / "published", []
    experience = {row["paper"]: row for row in rows(published / "experience.csv")}
    lines = rows(published / "papers.csv")
    for paper, title in dict.fromkeys((line["paper"], line["title"]) for line in lines):
        if paper not in experience:
            raise UserError(f"published/experience.csv has no row of '{paper}'; add it")
        sentences = rows(published / paper / "sentences.csv")
        runs = _runs(papers / paper / "made.json")
        figures = sorted((papers / paper / "figures").glob("*.svg"))
        documents.append(
            Document(
                paper,
                title,
                says=[line["says"] for line in lines if line["paper"] == paper],
                systems=list(dict.fromkeys(row["system"] for row in sentences)),
                sentences=sentences,
                found=found,
                settings=len(runs),
                repetitions=sum(runs),
                missing_hours=sum(
                    core_hours(item.hours)
                    for item in items
                    if item.paper == paper and item.state == ABSENT and item.hours
                ),
                easy=experience[paper]["easy"],
                hard=experience[paper]["hard"],
                figure=figures[0].read_text(encoding="utf-8") if figures else None,
            )
        )
    return documents


def _runs(notes: Path) -> list[int]:
    """Return the number of seeds of each setting that kept results rest on, by their notes."""
    tasks = read_json(notes, "notes on kept results")["runs"] if notes.is_file() else {}
    return [len(run["seeds"]) for settings in tasks.values() for run in settings.values()]


def article(documents: Sequence[Document], board: Scores) -> str:
    """Return the article, in HTML that needs nothing beside it.

    Args:
        documents: in the order in which they are shown.
        board: the scoreboard of all of them.
    """
    total = board["all"]
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            f"<title>What became of every sentence</title><style>\n{STYLE}</style></head><body>",
            "<h1>What became of every sentence</h1>",
            f"<p>{len(documents)} documents on what clients of a federation can send instead of "
            f"their data make {total[SENTENCES]} statements that compare, count or bound. Each is "
            "restated here with its place and what is printed, beside what this workflow has of "
            "it. Verdicts follow from one rule: the two-sided Student's interval of the mean "
            "difference by seed, at a level that the sentences of a system share, lies on one "
            "side of what is printed. Only full studies have one; what quick studies show is "
            "given without.</p>",
            _scoreboard(board),
            *map(_section, documents),
            "</body></html>",
            "",
        ]
    )


def _scoreboard(board: Scores) -> str:
    heading = "".join(f"<th>{escape(name)}</th>" for name in ("document", SENTENCES, *COLUMNS))
    lines = (
        f"<tr><td>{paper}</td>"
        + "".join(f'<td class="count">{count}</td>' for count in counts.values())
        + "</tr>"
        for paper, counts in board.items()
    )
    return f"<table><tr>{heading}</tr>{''.join(lines)}</table>"


def _section(document: Document) -> str:
    verdicts = [
        document.found[row["id"]][0]["overall"]
        for row in document.sentences
        if row["id"] in document.found
    ]
    parts = {
        "Claim": " ".join(map(escape, document.says)),
        "Method": f"Built as {_codes(document.systems)}, and studied on the same clients, ledger "
        "and seeds as its rivals.",
        "Data": _data(document),
        "Result": f"{tally(verdicts) or 'Nothing is kept'}.",
        "What was easy": escape(document.easy),
        "What was hard": escape(document.hard),
        "Cost": _cost(document),
    }
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in parts.items())
    return (
        f'<h2 id="{document.paper}">{escape(document.title)}</h2><dl>{listed}</dl>'
        f"{_picture(document.figure)}{_sentences(document)}"
    )


def _cost(document: Document) -> str:
    """Return what was trained for it, and what its absent tables and figures would take."""
    trained = (
        f"{document.settings} settings, {document.repetitions} trainings over all seeds."
        if document.settings
        else "What was trained is not kept."
    )
    if not document.missing_hours:
        return trained
    return (
        f"{trained} Its tables and figures that are absent for their size would take "
        f"{document.missing_hours:,.1f} hours of one core at least for one seed."
    )


def _codes(names: Sequence[str]) -> str:
    return ", ".join(f"<code>{escape(name)}</code>" for name in names)


def _data(document: Document) -> str:
    """Return the tasks that its tested sentences ran on, each with its size."""
    ran = [
        (row["task"], row["size"])
        for sentence in document.sentences
        for row in document.found.get(sentence["id"], ())
        if row["task"]
    ]
    tasks = (f"<code>{escape(task)}</code> ({escape(size)})" for task, size in dict.fromkeys(ran))
    return ", ".join(tasks) or "No task is kept."


def _picture(figure: str | None) -> str:
    if figure is None:
        return ""
    content = base64.b64encode(figure.encode()).decode()
    alternative = escape(alternative_of(figure))
    return f'<p><img alt="{alternative}" src="data:image/svg+xml;base64,{content}"></p>'


def _sentences(document: Document) -> str:
    lines = []
    for row in document.sentences:
        found = document.found.get(row["id"], ())
        ours = [escape(each["shown"]) for each in found if each["shown"]]
        scales = [escape(scale_of(each).replace("`", "")) for each in found]
        cells = (
            escape(row["id"]),
            f"{escape(row['says'])} <small>({escape(row['place'])})</small>",
            escape(row["margin"]),
            "<br>".join(ours),
            "<br>".join(filter(None, scales or [escape(row["reason"])])),
            escape(verdict_of(row, found)),
        )
        lines.append("".join(f"<td>{cell}</td>" for cell in cells))
    heading = "".join(
        f"<th>{name}</th>"
        for name in ("", "sentence", "printed", "ours, with its interval", "scale", "verdict")
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><tr>{heading}</tr>{body}</table>"
