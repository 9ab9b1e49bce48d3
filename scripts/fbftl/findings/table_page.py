"""A table as a page for readers, in the look of all pages of results.

What differs between its rows is in at most eight columns. A spread goes behind its mean and a
reason below its verdict; what is the same in every row stands once, above the table. What then
finds no room is in the csv, to which the page leads.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from fbftl.findings.story import alternative_in

STYLE = """\
:root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --line: #d1d9e0;
  --page: #ffffff; --band: #f3f5f7; --link: #0550ae; --yes: #00694f; --no: #a23b00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #a3adb8; --line: #3d444d; --page: #12161c; --band: #1b2129;
    --link: #85bdff; --yes: #4ccaa6; --no: #ffa273; }
}
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  margin: 0 auto; padding: 1rem; max-width: 80rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0; }
h2 { font-size: 1.25rem; line-height: 1.3; }
h3 { font-size: 1.05rem; margin-bottom: .3rem; }
p, li { max-width: 46rem; }
a { color: var(--link); }
code { background: var(--band); padding: 0 .2rem; overflow-wrap: anywhere; }
small, .soft { color: var(--soft); font-size: .875rem; }
img { max-width: 100%; height: auto; background: white; padding: .4rem; border-radius: .4rem; }
summary { margin: .5rem 0; padding: .2rem 0; cursor: pointer; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .875rem; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; overflow-wrap: break-word; }
thead th { background: var(--band); vertical-align: bottom; position: sticky; top: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
.yes { color: var(--yes); font-weight: 600; } .no { color: var(--no); font-weight: 600; }
th small, td small { display: block; font-weight: normal; overflow-wrap: anywhere; }
@media (max-width: 48rem) {
  th, td { padding: .3rem; } th small { display: none; }
  table:has(thead :nth-child(5), .prose) {
    &, & tbody, & tr, & th, & td { display: block; }
    & thead { position: absolute; width: 1px; height: 1px; clip-path: inset(50%); }
    & tr { border: 1px solid var(--line); border-radius: .4rem; margin: .6rem 0; padding: .3rem 0; }
    & tbody th, & td { border: 0; padding: .15rem .6rem; }
    & td { display: grid; grid-template-columns: 42% 1fr; gap: .5rem; }
    & td:empty { display: none; } & td small { grid-column: 2; }
    & td::before { content: attr(data-head); color: var(--soft); }
    & .number, & td.number { text-align: left; white-space: normal; }
  }
}
"""
"""Light or dark as the system is; on a phone each row of a wide table is a card."""

FOR = ("reproduced", "confirmed", "yes")
AGAINST = ("differs", "contradicted")


def verdict_class(verdict: str) -> str:
    """Return the class of a verdict's colour; one that decides nothing has none."""
    return "yes" if verdict in FOR else "no" if verdict in AGAINST else "open"


def counted(number: int, noun: str) -> str:
    """Return how many there are of something, as in ``2 tables``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def document(title: str, body: str, style: str = "") -> str:
    """Return a page that needs nothing but what it names.

    Args:
        title: of the window, as text.
        body: what is on the page, in HTML.
        style: rules of this page beside those of all.
    """
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{STYLE}{style}</style></head>",
            f"<body>{body}</body></html>",
            "",
        ]
    )


COLUMNS = 8
"""On a page at most."""

CONSTANTS = 12
"""Values that all rows share and that are told above the table, at most."""

SPREAD = "±"
"""Heading of a column that belongs to the one before it."""

INDEX = "index.html"

LOWERED = re.compile(r"\b(FTL)_([cf])\b")
"""A method's label with its index."""


@dataclass(frozen=True)
class PageText:
    """What stands around a table.

    title: what the table shows, of which task or paper.
    caption: how it is to be read, in a sentence or a few.
    """

    title: str = ""
    caption: str = ""


@dataclass(frozen=True)
class PageColumn:
    """A column of a page.

    heading: with its unit.
    cells: text of each row.
    below: a second line of each row, smaller; empty for a column without.
    number, prose, verdict: how it is set.
    reason: whether it tells more of the verdict before it.
    detail: whether it is among the first to leave where there is no room for all.
    mean: whether it is a mean with its spread.
    """

    heading: str
    cells: Sequence[str]
    below: Sequence[str] = ()
    number: bool = False
    prose: bool = False
    verdict: bool = False
    reason: bool = False
    detail: bool = False
    mean: bool = False


def table_page(csv: Path, text: PageText, columns: Sequence[PageColumn]) -> str:
    """Return the page.

    Args:
        csv: the table's csv, beside which the page lies.
        text: around the table.
        columns: of the whole table, in order.
    """
    title = text.title or csv.stem.replace("_", " ").capitalize()
    above = [folder for folder in csv.parents if folder.name == "results"]
    back = escape(os.path.relpath(above[0] / INDEX, csv.parent)) if above else ""
    head = [
        f'<nav><a href="{back}">← All results</a></nav>' if back else "",
        f"<main><h1>{escape(title)}</h1>",
        f"<p>{lowered(text.caption)}</p>" if text.caption else "",
        f'<p><a href="{escape(csv.name)}">The full table as CSV</a>, with every column.</p>',
    ]
    return document(title, "\n".join([*filter(None, head), table(columns), "</main>"]))


def table(columns: Sequence[PageColumn]) -> str:
    """Return the table in HTML, what all rows share above it."""
    shown, in_every_row = for_readers(columns)
    if shown and not shown[0].heading:
        shown[0] = repeated(shown[0])
    lines = []
    if in_every_row:
        lines.append(f'<p class="soft">{lowered(in_every_row)}</p>')
    headings = "".join(
        f'<th scope="col"{mark(column)}>{escape(column.heading)}</th>'
        if column.heading
        else "<td></td>"
        for column in shown
    )
    lines += [f"<table><thead><tr>{headings}</tr></thead>", "<tbody>", *body(shown)]
    return "\n".join([*lines, "</tbody></table>"])


def for_readers(columns: Sequence[PageColumn]) -> tuple[list[PageColumn], str]:
    """Return the columns that are shown, and in a sentence what all rows share, empty if none."""
    varying, shared = apart(together(columns))
    facts = "; ".join(map(_fact, shared[:CONSTANTS]))
    return chosen(varying), f"In every row: {facts}." if facts else ""


def _fact(column: PageColumn) -> str:
    reason = "".join(f" ({reason})" for reason in column.below[:1] if reason)
    return f"{column.heading}: {column.cells[0]}{reason}"


def together(columns: Sequence[PageColumn]) -> list[PageColumn]:
    """Return the columns with spreads behind their means and reasons below their verdicts."""
    folded: list[PageColumn] = []
    for column in columns:
        before = folded[-1] if folded else None
        if before and column.heading.partition(" (")[0] == SPREAD:
            cells = [
                f"{mean} ± {spread}" if mean and spread else mean
                for mean, spread in zip(before.cells, column.cells, strict=True)
            ]
            folded[-1] = replace(before, cells=cells, mean=True)
        elif before and before.verdict and column.reason:
            folded[-1] = replace(before, below=column.cells)
        else:
            folded.append(column)
    return folded


def apart(columns: Sequence[PageColumn]) -> tuple[list[PageColumn], list[PageColumn]]:
    """Return the columns that tell rows apart, and those that are the same in every one.

    The first column and verdicts that decide something are of the former in any case, empty ones
    of neither. A verdict that decides nothing and is the same wherever there is one is of the
    latter.
    """
    varying, shared = [], []
    for position, column in enumerate(columns):
        below = column.below or [""] * len(column.cells)
        values = dict.fromkeys(zip(column.cells, below, strict=True))
        several = len(column.cells) < 2 or len(values) > 1
        given = [value for value in values if any(value)]
        undecided = column.verdict and all(verdict_class(cell) == "open" for cell in column.cells)
        once = undecided or column.heading == "Seeds"
        if once and len(given) == 1 < len(values) and position:
            heading = f"{column.heading}, where given"
            shared.append(replace(column, heading=heading, cells=given[0][:1], below=given[0][1:]))
        elif position == 0 or (column.verdict and not undecided) or (several and given):
            varying.append(column)
        elif given:
            shared.append(column)
    return varying, shared


def chosen(columns: Sequence[PageColumn]) -> list[PageColumn]:
    """Return the columns that have room, details left out first and then the last ones.

    What stands before the first mean tells settings apart. Of these columns one stays, in place of
    the last of three or more measures but the accuracy, where rows would be alike without it.
    """
    leaving = [column for column in reversed(columns) if column.detail]
    leaving += [column for column in reversed(columns) if not (column.detail or column.verdict)]
    leaving = leaving[: max(len(columns) - COLUMNS, 0)]
    shown = _without(columns, leaving)
    first_mean = next((place for place, column in enumerate(columns) if column.mean), 0)
    axes, measures = columns[:first_mean], columns[first_mean:]
    for axis in _without(axes, shown):
        named, kept = _without(shown, measures), _without(shown, axes)
        less = [column for column in kept if not column.heading.startswith("Accuracy")]
        less = [column for column in less if not column.verdict]
        if less and len(kept) > 2 and _rows(named) < _rows([*named, axis]):
            shown = _without(columns, _without(columns, [*_without(shown, less[-1:]), axis]))
    return shown


def _without(columns: Sequence[PageColumn], left_out: Sequence[PageColumn]) -> list[PageColumn]:
    """Return the columns, in order, but for some of them; equal ones are told apart."""
    return [column for column in columns if not any(column is other for other in left_out)]


def _rows(columns: Sequence[PageColumn]) -> int:
    """Return how many rows some columns tell apart."""
    return len(set(zip(*(column.cells for column in columns), strict=True)))


def repeated(column: PageColumn) -> PageColumn:
    """Return a column without a heading, whose cells name blocks of rows, with a name in each."""
    cells: list[str] = []
    for cell in column.cells:
        cells.append(cell or (cells[-1] if cells else ""))
    return replace(column, cells=cells)


def body(columns: Sequence[PageColumn]) -> Iterator[str]:
    """Yield the rows; the first cell of each is its heading, where rows do not begin empty."""
    rows = len(columns[0].cells) if columns else 0
    for row in range(rows):
        cells = []
        for position, column in enumerate(columns):
            text = lowered(column.cells[row])
            if text:
                # One element, whatever is in it: on a telephone a cell is a grid of two columns.
                colour = f' class="{verdict_class(column.cells[row])}"' if column.verdict else ""
                text = f"<span{colour}>{text}</span>"
            if column.below and column.below[row]:
                text += f"<small>{escape(column.below[row])}</small>"
            if position == 0 and column.cells[row]:
                cells.append(f'<th scope="row"{mark(column)}>{text}</th>')
            else:
                label = f' data-head="{escape(column.heading)}"'
                cells.append(f"<td{label}{mark(column)}>{text}</td>")
        yield f"<tr>{''.join(cells)}</tr>"


def lowered(text: str) -> str:
    """Return a text in HTML, indices of methods set lower."""
    return LOWERED.sub(r"\1<sub>\2</sub>", escape(text))


def mark(column: PageColumn) -> str:
    """Return the class attribute of a column's cells, or nothing."""
    return ' class="number"' if column.number else ' class="prose"' if column.prose else ""


def picture(path: str, texts: Mapping[str, PageText], folder: str) -> str:
    """Return a figure with title and caption, which a click opens.

    Args:
        path: of its svg, whose alternative text it has.
        texts: title and caption by path.
        folder: where the page will lie; links are relative to it.
    """
    text, link = texts.get(path, PageText(Path(path).stem)), escape(os.path.relpath(path, folder))
    seen = escape(alternative_in(Path(path)) or text.title)
    return (
        f'<figure><a href="{link}"><img src="{link}" alt="{seen}"></a>'
        f"<figcaption><strong>{escape(text.title)}.</strong> {lowered(text.caption)} "
        f'<a href="{link}">Full size</a></figcaption></figure>'
    )


def listed(results: Sequence[str], texts: Mapping[str, PageText], folder: str) -> str:
    """Return links to tables and figures, each with its caption, folded up; as `picture`."""
    items = []
    for path in results:
        text = texts.get(path, PageText(Path(path).stem))
        kind = "Figure" if path.endswith(".svg") else "Table"
        link = f'<a href="{escape(os.path.relpath(path, folder))}">{escape(text.title)}</a>'
        items.append(f"<li>{kind}: {link}. <small>{lowered(text.caption)}</small></li>")
    summary = f"<summary>Tables and figures: {len(results)}</summary>"
    return f"<details>{summary}<ul>{''.join(items)}</ul></details>" if items else ""
