"""Tabulate what stands behind a paper's sentences: every comparison, on every task, in numbers."""

from collections.abc import Sequence
from importlib import import_module

from fbftl.findings.tables import ResultTable
from fbftl.papers.claims import claims_of, examined_by_task, read_claims
from fbftl.papers.comparisons import COLUMNS, comparisons_table
from fbftl.papers.quantities import runs_by_task
from fbftl.papers.registry import number_tested, read_sentences


def main(
    paper: str,
    experiments: Sequence[str],
    series: Sequence[str],
    uplinks: Sequence[str],
    beside: Sequence[str],
    texts: str,
    registry: str,
) -> ResultTable:
    """Return the table.

    Args:
        paper: its word; `fbftl.papers.<paper>.claims` has what its sentences compare.
        experiments: tidy tables of the paper's experiments on all tasks.
        series: what the experiments measured by rounds, epochs or domains.
        uplinks: what each method sends by seed, a table for each task that compares them.
        beside: what was measured beside runs by setting and seed.
        texts: `published/claims.csv`.
        registry: `published/<paper>/sentences.csv`.
    """
    compared = import_module(f"fbftl.papers.{paper}.claims").SENTENCES
    claims = claims_of(paper, compared, read_claims(texts))
    sentences = read_sentences(registry)
    by_system = number_tested(sentences)
    tested = {sentence.id: by_system.get(sentence.system, 0) for sentence in sentences}
    by_task = examined_by_task(claims, runs_by_task(experiments, uplinks, series, beside))
    return ResultTable(comparisons_table(by_task, tested), COLUMNS)
