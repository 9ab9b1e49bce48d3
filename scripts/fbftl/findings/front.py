"""The front page of all results: what each paper says, what came out, one picture of each."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from os.path import relpath
from pathlib import Path

STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; }
section { border-top: 1px solid #ddd; margin-top: 2rem; }
img { max-width: 100%; max-height: 30rem; background: white; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #eee; text-align: left;
  vertical-align: top; }
summary, nav { cursor: default; margin: .5rem 0; }
.yes { color: #00694f; } .no { color: #a23b00; }
code { background: #f3f3f3; padding: 0 .2rem; }
"""

ORDER = (
    *("reproduced", "differs", "not comparable"),
    *("holds", "the contrary holds", "no difference of half the printed size"),
    *("depends on the task", "undecided"),
    *("by formula: holds", "by formula: does not hold", "by formula: not computed"),
    *("pilot: no verdict", "quick: no verdict", "not run", "to be run", "not testable here"),
)
"""Verdicts, the decided ones first: those of the audit, and those of sentences."""


@dataclass(frozen=True)
class Shown:
    """A paper on the page.

    paper: its word.
    says: what it is about: lines, each in `says`, with their `place` in the paper.
    sentences: rows of its table of sentences; empty if this study makes nothing of it.
    audit: verdicts of its audit rows.
    results: its tables and figures, by path.
    """

    paper: str
    title: str
    says: Sequence[Mapping[str, str]]
    sentences: Sequence[Mapping[str, str]]
    audit: Sequence[str]
    results: Sequence[str]

    @property
    def picture(self) -> str | None:
        """Its first figure, or None."""
        return next((path for path in self.results if path.endswith(".svg")), None)


def rows(table: str | Path) -> list[dict[str, str]]:
    """Return the rows of a table's csv."""
    with open(table, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def tally(verdicts: Sequence[str]) -> str:
    """Return how often each verdict came out, as in ``3 reproduced, 1 differs``."""
    counts = Counter(verdicts)
    return ", ".join(
        f'<span class="{_colour(name)}">{counts[name]} {name}</span>'
        for name in ORDER
        if counts[name]
    )


def _colour(verdict: str) -> str:
    """Return the class of a verdict's colour; one that decides nothing has none."""
    if verdict in ("reproduced", "holds", "by formula: holds"):
        return "yes"
    against = ("differs", "the contrary holds", "by formula: does not hold")
    return "no" if verdict in against else "open"


def front_page(papers: Sequence[Shown], audit: str, arithmetic: str, folder: str) -> str:
    """Return the page, in HTML that needs nothing but the results beside it.

    Args:
        papers: in the order in which they are shown.
        audit: the table of the audit of all papers, as html.
        arithmetic: sentence on whether other machines give the same numbers.
        folder: where the page will lie; links are relative to it.
    """
    links = (f'<a href="#{shown.paper}">{shown.paper}</a>' for shown in papers)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>Results</title><style>\n{STYLE}</style></head><body>",
            "<h1>What came out</h1>",
            "<p>What each paper says, and what became of it in this study, sentence by sentence. "
            "A sentence <em>holds</em>, <em>the contrary holds</em> or it is <em>undecided</em> by "
            "one rule for all, on full studies alone; some are decided by formula. Where the "
            "published record disagrees with itself says "
            f'<a href="{_link(audit, folder)}">the audit</a>.</p>',
            f"<p>{escape(arithmetic)}</p>",
            f"<nav>{' · '.join(links)}</nav>",
            *(_section(shown, folder) for shown in papers),
            "</body></html>",
            "",
        ]
    )


def _section(shown: Shown, folder: str) -> str:
    head = [
        f'<section id="{shown.paper}"><h2>{escape(shown.title)}</h2>',
        *(
            f"<p>{escape(sentence['says'])} <small>({escape(sentence['place'])})</small></p>"
            for sentence in shown.says
        ),
    ]
    audit = f"<p>Its published record, checked by formula: {tally(shown.audit)}.</p>"
    if not shown.results:
        command = f"<p>Not run in this study: <code>./run papers {shown.paper}</code>.</p>"
        return "\n".join([*head, command, audit * bool(shown.audit), "</section>"])
    if shown.sentences:
        by_sentence = {row["sentence"]: row["overall"] for row in shown.sentences}
        head.append(f"<p>Sentences: {tally(list(by_sentence.values()))}.</p>")
    if shown.picture is not None:
        head.append(
            f'<p><img src="{_link(shown.picture, folder)}" alt="{_name(shown.picture)}"></p>'
        )
    return "\n".join(
        [
            *head,
            _sentences(shown.sentences) if shown.sentences else "",
            audit * bool(shown.audit),
            "<details><summary>Tables and figures</summary>"
            f"{_list(shown.results, folder)}</details>",
            "</section>",
        ]
    )


def _sentences(rows: Sequence[Mapping[str, str]]) -> str:
    lines = (
        f"<tr><td>{escape(row['says'])} <small>({escape(row['place'])})</small></td>"
        f"<td>{escape(row['task'])}</td>"
        f'<td class="{_colour(row["verdict"])}">{row["verdict"]}</td></tr>'
        for row in rows
    )
    return (
        "<details><summary>Sentence by sentence</summary><table>"
        "<tr><th>Sentence</th><th>Task</th><th>Verdict</th></tr>"
        f"{''.join(lines)}</table></details>"
    )


def _list(results: Sequence[str], folder: str) -> str:
    links = (f'<li><a href="{_link(path, folder)}">{_name(path)}</a></li>' for path in results)
    return f"<ul>{''.join(links)}</ul>"


def _name(path: str) -> str:
    """Return what a result is called: its task or paper, and its own name."""
    *_, of, kind, _ = Path(path).parts
    return escape(f"{of}: {Path(path).stem.replace('_', ' ')} ({kind.removesuffix('s')})")


def _link(path: str, folder: str) -> str:
    return escape(relpath(path, folder))
