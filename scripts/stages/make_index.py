"""Make the front page of all results: the study's own tasks, then what each paper says."""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from fbftl.findings.front import OwnTask, Shown, front_page, section
from fbftl.findings.runs import read_tidy
from fbftl.findings.table_page import PageText
from fbftl.findings.tables import read_table
from fbftl.ground.exact import this_machine
from fbftl.ground.files import csv_rows, write_text
from fbftl.ground.provenance import commit


def main(
    papers: str, audit: str, runs: Sequence[str], tables: Sequence[str],
    results: Mapping[str, Sequence[str]], page_texts: Mapping[str, Any],
    data_sets: Sequence[Mapping[str, Any]], own_tasks: Sequence[Mapping[str, Any]], arithmetic: str,
    page: str,
) -> None:  # fmt: skip
    """Write the page.

    Args:
        papers: table of what the papers are called and are about, a row for each line.
        audit: csv of the audit of all papers.
        runs: csv of the runs of each of the study's own tasks, in their order.
        tables: tidy tables of their experiments.
        results: tables and figures that the study makes of each paper, as html and svg.
        page_texts: title and caption of each of them, by path.
        data_sets: name, data set and number of seeds of each task of the study.
        own_tasks: name, data set and results of each task that the study makes.
        arithmetic: sentence on whether other machines give the same numbers.
        page: path of the page.
    """
    verdicts, shown = csv_rows(audit), []
    of_tasks = {path for task in own_tasks for path in task["results"]}
    for (paper, title), lines in groupby(csv_rows(papers), itemgetter("paper", "title")):
        of_paper = [path for path in results.get(paper, ()) if path not in of_tasks]
        table = next((path for path in of_paper if path.endswith("/claims.html")), None)
        shown.append(
            Shown(
                paper,
                title,
                says=list(lines),
                claims=csv_rows(Path(table).with_suffix(".csv")) if table else [],
                audit=[row["verdict"] for row in verdicts if row["paper"] == paper],
                results=of_paper,
            )
        )
    facts = {
        "Data": "; ".join(f"{of['data']} ({of['name']}, {of['seeds']} seeds)" for of in data_sets),
        "Arithmetic": arithmetic,
        "Written": f"{date.today():%d %B %Y}".lstrip("0") + f" on {this_machine().processor}",
        "Commit": commit() or "not a git checkout",
    }
    of_audit = str(Path(audit).with_suffix(".html"))
    around = {path: PageText(**text) for path, text in page_texts.items()}
    folder = str(Path(page).parent)
    ridge = _ridge(tables)
    of_study = [
        OwnTask(
            **{field: task[field] for field in ("name", "data", "results")},
            runs=read_table(path, {"key": str}).query("task == @task['name']"),
            ridge=ridge.get(task["name"], {}),
            folder=str(Path(path).parent),
        )
        for task, path in zip(own_tasks, runs, strict=True)
    ]
    first = section(of_study, around, folder) if of_study else ""
    write_text(page, front_page(shown, of_audit, facts, around, folder, first))


def _ridge(tables: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the accuracy of ridge regression on a setting's features, by task and setting."""
    found: dict[str, dict[str, float]] = {}
    for table in map(read_tidy, tables):
        if "ridge_accuracy" in table:
            means = table.groupby(["task", "setting"])["ridge_accuracy"].mean().dropna()
            for (task, setting), ridge in means.items():
                found.setdefault(task, {})[setting] = ridge
    return found
