"""The front page of all results: the study's own tasks, then what came out of each paper.

Of its own tasks it shows accuracy and uplink of settings, and what to doubt.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from os.path import relpath
from typing import Any

import numpy as np
import pandas as pd

from fbftl.findings.published import LEAST_SEEDS, on_front
from fbftl.findings.shown import setting_name
from fbftl.findings.table_page import (
    PageColumn,
    PageText,
    counted,
    document,
    listed,
    picture,
    table,
    verdict_class,
)
from fbftl.findings.tables import prefixed, undertrained

STYLE = """\
section { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: .5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 1rem 0; } figure img { max-height: 30rem; } figcaption { max-width: 46rem; }
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


MOST_SHOWN = 12
"""Settings of a task on the page; the csv has all."""

LOSSY = r"\+[pb]lr="
"""What the names of settings have that lose packets."""

NEXT = (
    "One more seed: <code>seeds: [0, 1, 2, 3]</code> at the top level of the study's file; only "
    "the new seed is trained.",
    "Another upload: <code>method: [one_shot], message: [means]</code> in a grid "
    "(<code>docs/what-to-upload.md</code>).",
    "Your own data: <code>data: {kind: features, path: features.npy, labels: labels.npy}</code> "
    "(<code>docs/your-own.md</code>).",
)


@dataclass(frozen=True)
class OwnTask:
    """A task of the study.

    name, data: its name and data set.
    runs: one row per setting and seed (`task`, `setting`, `seed`, `accuracy`, `uplink_bits`,
        `diverged`), as `runs.csv` has them.
    ridge: accuracy of ridge regression on the same features, by setting, where it was measured.
    results: its tables and figures, by path; the first is shown if it is a figure.
    folder: of its results.
    """

    name: str
    data: str
    runs: pd.DataFrame
    ridge: Mapping[str, float]
    results: Sequence[str]
    folder: str


def settings_of(task: OwnTask) -> pd.DataFrame:
    """Return a row per setting, the most accurate first, with whether it is on the Pareto front.

    What loses packets is not on it, since nobody chooses that.
    """
    of_setting = task.runs.groupby("setting", sort=False)
    rows = pd.DataFrame(
        {
            "accuracy": of_setting["accuracy"].mean(),
            "spread": of_setting["accuracy"].std(),
            "uplink_bits": of_setting["uplink_bits"].mean(),
            "seeds": of_setting["seed"].count(),
            "diverged": of_setting["diverged"].sum(),
        }
    ).dropna(subset="accuracy")
    chosen = ~rows.index.str.contains(LOSSY)
    sent = rows["uplink_bits"].where(chosen).fillna(np.inf)  # a central baseline sends nothing
    rows["front"] = on_front(sent, rows["accuracy"]) & (sent < np.inf)
    return rows.sort_values("accuracy", ascending=False, kind="stable")


def warnings_of(task: OwnTask, rows: pd.DataFrame) -> list[str]:
    """Return what a reader has to doubt of a task's settings, a sentence each."""
    found = []
    if failed := int((rows["diverged"] > 0).sum()):
        found.append(f"{counted(failed, 'setting')} had seeds that diverged, which count as 0.")
    if few := int((rows["seeds"] < LEAST_SEEDS).sum()):
        found.append(f"{counted(few, 'setting')} had fewer than {LEAST_SEEDS} seeds.")
    behind = [
        f"{setting_name(setting)}: {accuracy:.1%} against {ridge:.1%}"
        for setting, ridge in task.ridge.items()
        if setting in rows.index
        if undertrained(accuracy := rows.at[setting, "accuracy"], ridge)
    ]
    if behind:
        found.append(
            f"{counted(len(behind), 'setting')} ended far below ridge regression on the same "
            f"uploads ({'; '.join(behind)}): train longer; under noise solve the head "
            "(one_shot, head: ridge)."
        )
    return found


def section(tasks: Sequence[OwnTask], texts: Mapping[str, PageText], folder: str) -> str:
    """Return the section of the study's tasks, in HTML.

    Args:
        tasks: in the study's order.
        texts: title and caption of figures, by path.
        folder: where the page will lie; links are relative to it.
    """
    steps = "".join(f"<li>{step}</li>" for step in NEXT)
    return "\n".join(
        [
            '<section id="study"><h2>This study</h2>',
            "<p>Accuracies are on test samples: the mean over seeds ± one standard deviation. "
            "Uplink is the length of all encoded messages until the epoch that counts.</p>",
            *(_task(task, texts, folder) for task in tasks),
            f"<h3>Next steps</h3><ul>{steps}</ul></section>",
        ]
    )


def _task(task: OwnTask, texts: Mapping[str, PageText], folder: str) -> str:
    rows = settings_of(task)
    plain = ~rows.index.str.contains("+", regex=False)
    shown = rows[rows["front"] | plain]
    shown = pd.concat([shown, rows.drop(shown.index).head(max(0, MOST_SHOWN - len(shown)))])
    shown = shown.sort_values("accuracy", ascending=False, kind="stable")
    percent = rows["accuracy"].max() <= 1
    measure = "accuracy" if percent else "ROUGE-1"
    which = (
        f"{len(shown)} of {counted(len(rows), 'setting')}: each method's default, the Pareto "
        f"front of {measure} and uplink of all clients (of settings that lose no packets), then "
        f"the highest {measure}."
        if len(shown) < len(rows)
        else ""
    )
    link = escape(relpath(f"{task.folder}/runs.csv", folder))
    doubts = "".join(f"<li>{escape(text)}</li>" for text in warnings_of(task, rows))
    led = [path for path in task.results[:1] if path.endswith(".svg")]
    data = f" <small>{escape(task.data)}</small>" if task.data != task.name else ""
    return "\n".join(
        [
            f"<h3>{escape(task.name)}{data}</h3>",
            *(picture(path, texts, folder) for path in led),
            f"<p><strong>Warnings</strong></p><ul>{doubts}</ul>" if doubts else "",
            table(_columns(shown, percent)),
            f'<p>{which} <a href="{link}">Every run</a> is in a CSV file.</p>',
            listed(task.results, texts, folder),
        ]
    )


def _columns(rows: pd.DataFrame, percent: bool) -> list[PageColumn]:
    def score(value: Any) -> str:
        return "" if pd.isna(value) else f"{100 * value:.1f}%" if percent else f"{value:.1f}"

    heading = "Accuracy" if percent else "ROUGE-1"
    sent = ["" if pd.isna(bits) else prefixed(bits / 8, "B") for bits in rows["uplink_bits"]]
    return [
        PageColumn("Setting", list(map(setting_name, rows.index)), list(rows.index)),
        PageColumn(heading, list(map(score, rows["accuracy"])), number=True),
        PageColumn("±", list(map(score, rows["spread"])), number=True),
        PageColumn("Uplink of all clients", sent, number=True),
        PageColumn("Seeds", [f"{seeds:.0f}" for seeds in rows["seeds"]], number=True),
        PageColumn("On the front", ["yes" if front else "no" for front in rows["front"]]),
    ]
