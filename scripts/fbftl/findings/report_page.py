"""The report: a page per paper with its figures and tables by question, in one HTML file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from urllib.parse import quote

from fbftl.findings.page_style import counted, document
from fbftl.findings.story import alternative_of
from fbftl.findings.table_page import fragment

STYLE = """\
.page:not(:target, :has(:target)) { display: none; }
main:has(.page:target, .page :target) .front { display: none; }
nav a { display: inline-block; padding: .25rem .75rem .25rem 0; }
article { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: .5rem; }
article img { display: block; max-height: 90vh; }
math, .formula { overflow-x: auto; }
.formula { text-align: center; font-style: italic; }
@media print { .page, .front { display: block !important; } }
"""
"""Of the pages, the one that the address names is shown, and the front where it names none."""

LONG = 25
"""Rows from which on a table is folded up."""

KEPT = ' !$&()*+,-./:;<=>?@_~"'
"""Characters that stay as they are in a figure's address, beside letters and digits."""


@dataclass(frozen=True)
class ShownResult:
    """A table or figure of the report.

    path: of its HTML or SVG.
    paper, chapter: where it is shown; both begin with their number.
    title: what it shows.
    of: its task, or the paper.
    seeds: repetitions behind it; 0 where no runs are.
    caption: how it is to be read, in HTML.
    """

    path: Path
    paper: str
    chapter: str
    title: str
    of: str
    seeds: int
    caption: str

    @property
    def is_figure(self) -> bool:
        """Whether it is a figure."""
        return self.path.suffix == ".svg"


def report_page(results: Sequence[ShownResult], described: str) -> str:
    """Return the report.

    Args:
        results: tables and figures in any order.
        described: what the study is, in HTML.
    """
    ordered = sorted(
        results, key=lambda each: (each.paper, each.chapter, each.of, each.title, each.path.suffix)
    )
    by_paper = {paper: list(shown) for paper, shown in groupby(ordered, key=attrgetter("paper"))}
    links = "".join(
        f'<li><a href="#{anchor(paper)}">{escape(title_of(paper))}</a>: '
        f"{escape(basis(shown))}; {extent(shown)}.</li>"
        for paper, shown in by_paper.items()
    )
    body = [
        '<main><div class="front"><h1>The study, paper by paper</h1>',
        f"{described}<h2>Papers</h2><ul>{links}</ul></div>",
        *(line for paper, shown in by_paper.items() for line in page(paper, shown)),
        "</main>",
    ]
    return document("Report of the study", "\n".join(body), STYLE)


def page(paper: str, shown: Sequence[ShownResult]) -> Iterator[str]:
    """Yield the page of a paper: what it rests on, its questions, then figures and tables."""
    yield f'<section class="page" id="{anchor(paper)}"><nav><a href="#">← All papers</a></nav>'
    yield f"<h1>{escape(title_of(paper))}</h1>"
    yield f"<p>{escape(basis(shown))}; {extent(shown)}.</p>"
    chapters = {
        chapter: list(results) for chapter, results in groupby(shown, key=attrgetter("chapter"))
    }
    links = (
        f'<a href="#{anchor(paper, chapter)}">{escape(title_of(chapter))}</a>'
        for chapter in chapters
    )
    yield f'<nav aria-label="Questions">{"".join(links)}</nav>'
    for chapter, results in chapters.items():
        yield f'<h2 id="{anchor(paper, chapter)}">{escape(title_of(chapter))}</h2>'
        yield from map(entry, results)
    yield "</section>"


def entry(shown: ShownResult) -> str:
    """Return a figure, or a table, with its caption."""
    title = escape(f"{shown.title}: {shown.of}")
    if shown.is_figure:
        svg = shown.path.read_text(encoding="utf-8")
        seen = escape(alternative_of(svg)) or title
        content = f"<img src='{address(svg)}' alt=\"{seen}\">"
    else:
        content = fragment(shown.path.read_text(encoding="utf-8"))
        rows = content.count("<tr>") - 1
        if rows > LONG:
            content = f"<details><summary>The table, {rows:,} rows</summary>{content}</details>"
    return f"<article><h3>{title}</h3>{shown.caption}{content}</article>"


def address(svg: str) -> str:
    """Return a figure as an address, for an attribute in single quotes."""
    one_line = svg.replace("\n", " ")  # A browser drops line ends in addresses.
    return f"data:image/svg+xml,{quote(one_line, safe=KEPT).replace('&', '&amp;')}"


def basis(shown: Sequence[ShownResult]) -> str:
    """Return the tasks and seeds that results rest on, in words."""
    seeds = {each.of: each.seeds for each in shown if each.seeds}
    tasks = ", ".join(f"{task} ({count} seeds)" for task, count in sorted(seeds.items()))
    return f"Tasks: {tasks}" if tasks else "By formula alone"


def extent(shown: Sequence[ShownResult]) -> str:
    """Return how many figures and tables there are."""
    figures = sum(each.is_figure for each in shown)
    return f"{counted(figures, 'figure')} and {counted(len(shown) - figures, 'table')}"


def title_of(name: str) -> str:
    """Return a paper's or a chapter's name without the number that it is sorted by."""
    number, _, title = name.partition(" ")
    return title if number.isdigit() else name


def anchor(paper: str, chapter: str = "") -> str:
    """Return what the address of a paper's page, or of a chapter there, ends in: its numbers."""
    numbers = [name.partition(" ")[0] for name in (paper, chapter) if name]
    return "-".join(["paper", *numbers])
