"""The front page of all results: the study's own tasks, then what came out of each paper."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from os.path import relpath

from fbftl.findings.table_page import PageText, document, listed, verdict_class

STYLE = """\
section { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: .5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 1rem 0; } figure img { max-height: 30rem; }
figcaption { max-width: 46rem; }
nav a { display: inline-block; padding: .25rem .5rem .25rem 0; }
li { margin: .3rem 0; }
@media (max-width: 48rem) { dl { display: block; } dd { margin-bottom: .5rem; } }
"""

BESIDE = {
    "report.html": ("The report", "every table and figure by paper and question", "report"),
    "../docs/_build/README.html": ("The documentation", "what the words mean", "docs"),
}
"""Pages of other verbs: what they are called, what is in them, and the verb that makes them."""

ORDER = (
    *("reproduced", "differs", "not comparable"),
    *("confirmed", "contradicted", "mixed", "inconclusive", "not run"),
    "not testable here",
)
"""Verdicts, the decided ones first: those of the audit, and those of claims."""

SAID = {"differs": "different"}
"""How a verdict is written behind a number."""


@dataclass(frozen=True)
class Shown:
    """A paper on the page.

    paper: its word.
    says: what it is about: lines, each in `says`, with their `place` in the paper.
    claims: rows of its table of claims; empty if this study makes nothing of it.
    audit: verdicts of its audit rows.
    results: its tables and figures, by path.
    """

    paper: str
    title: str
    says: Sequence[Mapping[str, str]]
    claims: Sequence[Mapping[str, str]]
    audit: Sequence[str]
    results: Sequence[str]


def tally(verdicts: Sequence[str]) -> str:
    """Return how often each verdict came out, as in ``3 reproduced, 1 different``."""
    counts = Counter(verdicts)
    return ", ".join(
        f'<span class="{verdict_class(name)}">{counts[name]} {SAID.get(name, name)}</span>'
        for name in ORDER
        if counts[name]
    )


def front_page(
    papers: Sequence[Shown],
    audit: str,
    facts: Mapping[str, str],
    texts: Mapping[str, PageText],
    folder: str,
    of_study: str = "",
) -> str:
    """Return the page, in HTML that needs nothing but the results of its folder.

    Args:
        papers: in the order in which they are shown.
        audit: the table of the audit of all papers, as html.
        facts: what the results come from, each by its name.
        texts: title and caption of tables and figures, by path.
        folder: where the page will lie; links are relative to it.
        of_study: section of the study's own tasks, in HTML.
    """
    run = [shown for shown in papers if shown.results]
    others = "".join(_other(shown) for shown in papers if not shown.results)
    links = [f'<a href="#{shown.paper}">paper {shown.paper}</a>' for shown in run]
    links[:0] = ['<a href="#study">this study</a>'] if of_study else []
    links += ['<a href="#others">other documents</a>'] if others else []
    links += ['<a href="#made">how these results were made</a>']
    stated = (f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts.items())
    further = (
        f'<li><a href="{path}">{name}</a>: {what}, once <code>./run {verb}</code> has made it.</li>'
        for path, (name, what, verb) in BESIDE.items()
    )
    body = [
        "<header><h1>Results</h1></header>",
        f'<nav aria-label="Sections">{" ".join(links)}</nav><main>',
        of_study,
        *(_section(shown, texts, folder) for shown in run),
        f'<section id="others"><h2>Other documents</h2><p>Not in this study. Each has a study of '
        f"its own.</p><ul>{others}</ul></section>"
        if others
        else "",
        '<section id="made"><h2>How these results were made</h2>',
        f"<dl>{''.join(stated)}</dl><ul>",
        f'<li><a href="{escape(relpath(audit, folder))}">The audit</a>: where printed numbers of '
        "all documents disagree with their formulas.</li>",
        f"{''.join(further)}</ul></section></main>",
    ]
    return document("Results", "\n".join(body), STYLE)


def _section(shown: Shown, texts: Mapping[str, PageText], folder: str) -> str:
    head = [
        f'<section id="{shown.paper}"><h2>{escape(shown.title)}</h2>',
        *(
            f"<p>{escape(line['says'])} <small>({escape(line['place'])})</small></p>"
            for line in shown.says
        ),
    ]
    if shown.claims:
        verdicts = tally([row["verdict"] for row in shown.claims])
        head.append(f"<p>Claims, by runs of this study and kept runs: {verdicts}.</p>")
    return "\n".join(
        [
            *head,
            f"<p>{_record(shown)}.</p>" if shown.audit else "",
            listed(shown.results, texts, folder),
            "</section>",
        ]
    )


def _other(shown: Shown) -> str:
    """Return the item of a paper of which the study runs nothing."""
    command = f"<code>./run papers {shown.paper}</code>"
    record = f". {_record(shown)}" if shown.audit else ""
    return f"<li>{escape(shown.title)}: {command}{record}.</li>"


def _record(shown: Shown) -> str:
    return f"Its printed numbers that were doubted, checked by formula: {tally(shown.audit)}"
