"""Tabulate a paper's sentences: what each comes to, on every task or by formula."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from fbftl.findings.front import rows
from fbftl.findings.published import read
from fbftl.findings.tables import ResultTable
from fbftl.papers.claims import claims_of, examined_by_task, read_claims
from fbftl.papers.formulas import PaperRecord
from fbftl.papers.quantities import runs_by_task
from fbftl.papers.registry import number_tested, read_sentences
from fbftl.papers.sentences import COLUMNS, decided, sentences_table


def main(
    paper: str,
    experiments: Sequence[str],
    series: Sequence[str],
    uplinks: Sequence[str],
    beside: Sequence[str],
    texts: str,
    registry: str,
    audit: str,
    printed: Sequence[str],
) -> ResultTable:
    """Return the table.

    Args:
        paper: its word; `fbftl.papers.<paper>` has what its sentences compare and what decides
            those that need no runs.
        experiments: tidy tables of the paper's experiments on all tasks.
        series: what the experiments measured by rounds, epochs or domains.
        uplinks: what each method sends by seed, a table for each task that compares them.
        beside: what was measured beside runs by setting and seed.
        texts: `published/claims.csv`.
        registry: `published/<paper>/sentences.csv`.
        audit: csv of the audit of all papers.
        printed: files of `published/<paper>/`.
    """
    compared = import_module(f"fbftl.papers.{paper}.claims").SENTENCES
    formulas = import_module(f"fbftl.papers.{paper}.formulas").FORMULAS
    claims = claims_of(paper, compared, read_claims(texts))
    sentences = read_sentences(registry)
    by_task = runs_by_task(experiments, uplinks, series, beside)
    record = PaperRecord(
        {Path(path).stem: read(path) for path in printed},
        {row["id"]: row for row in rows(audit) if row["paper"] == paper},
        list(by_task.values()),
    )
    table = sentences_table(
        sentences,
        number_tested(sentences),
        examined_by_task(claims, by_task),
        decided(sentences, formulas, record),
    )
    return ResultTable(table, COLUMNS)
