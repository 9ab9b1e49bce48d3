"""The front page of all results: what each paper claims, what came out, one picture of each."""

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
.reproduced { color: #00694f; } .differs { color: #a23b00; }
code { background: #f3f3f3; padding: 0 .2rem; }
"""

ORDER = ("reproduced", "differs", "undecided", "not comparable", "not run")
"""Verdicts, the decided ones first."""


@dataclass(frozen=True)
class Shown:
    """A paper on the page.

    paper: its word.
    says: what it claims, in a sentence.
    claims: rows of its table of claims; empty if this study makes nothing of it.
    audit: verdicts of its audit rows.
    results: its tables and figures, by path.
    """

    paper: str
    title: str
    says: str
    claims: Sequence[Mapping[str, str]]
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
        f'<span class="{name.split()[0]}">{counts[name]} {name}</span>'
        for name in ORDER
        if counts[name]
    )


def front_page(papers: Sequence[Shown], audit: str, folder: str) -> str:
    """Return the page, in HTML that needs nothing but the results beside it.

    Args:
        papers: in the order in which they are shown.
        audit: the table of the audit of all papers, as html.
        folder: where the page will lie; links are relative to it.
    """
    links = (f'<a href="#{one.paper}">{one.paper}</a>' for one in papers)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>Results</title><style>\n{STYLE}</style></head><body>",
            "<h1>What came out</h1>",
            "<p>What each paper claims, and what became of it in this study. A claim is "
            "<em>reproduced</em>, <em>differs</em> or is <em>undecided</em> by one rule for all; "
            "<em>not run</em> are those whose settings this study lacks. Where the published "
            "record disagrees with itself says "
            f'<a href="{_link(audit, folder)}">the audit</a>.</p>',
            f"<nav>{' · '.join(links)}</nav>",
            *(_section(one, folder) for one in papers),
            "</body></html>",
            "",
        ]
    )


def _section(one: Shown, folder: str) -> str:
    head = [
        f'<section id="{one.paper}"><h2>{escape(one.title)}</h2>',
        f"<p>{escape(one.says)}</p>",
    ]
    audit = f"<p>Its published record, checked by formula: {tally(one.audit)}.</p>"
    if not one.results:
        command = f"<p>Not run in this study: <code>./run papers {one.paper}</code>.</p>"
        return "\n".join([*head, command, audit * bool(one.audit), "</section>"])
    if one.claims:
        head.append(f"<p>Claims: {tally([row['verdict'] for row in one.claims])}.</p>")
    if one.picture is not None:
        head.append(f'<p><img src="{_link(one.picture, folder)}" alt="{_name(one.picture)}"></p>')
    return "\n".join(
        [
            *head,
            _claims(one.claims) if one.claims else "",
            audit * bool(one.audit),
            f"<details><summary>Tables and figures</summary>{_list(one.results, folder)}</details>",
            "</section>",
        ]
    )


def _claims(claims: Sequence[Mapping[str, str]]) -> str:
    lines = (
        f"<tr><td>{escape(row['claim'])}</td><td>{escape(row['task'])}</td>"
        f'<td class="{row["verdict"].split()[0]}">{row["verdict"]}</td></tr>'
        for row in claims
    )
    return (
        "<details><summary>Claim by claim</summary><table>"
        "<tr><th>Claim</th><th>Task</th><th>Verdict</th></tr>"
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
