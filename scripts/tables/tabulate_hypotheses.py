"""Tabulate the hypotheses that are ours beside a paper's sentences, on every task."""

from collections.abc import Sequence
from importlib import import_module

from fbftl.findings.tables import ResultTable
from fbftl.papers.claims import OURS, claims_of, examined_by_task, read_claims
from fbftl.papers.comparisons import COLUMNS_OF_HYPOTHESES, comparisons_table
from fbftl.papers.quantities import runs_by_task


def main(
    paper: str,
    experiments: Sequence[str],
    series: Sequence[str],
    uplinks: Sequence[str],
    beside: Sequence[str],
    texts: str,
) -> ResultTable:
    """Return the table.

    Args:
        paper: its word; `fbftl.papers.<paper>.claims` has what its hypotheses compare.
        experiments: tidy tables of the paper's experiments on all tasks.
        series: what the experiments measured by rounds, epochs or domains.
        uplinks: what each method sends by seed, a table for each task that compares them.
        beside: what was measured beside runs by setting and seed.
        texts: `published/claims.csv`.
    """
    compared = {OURS: import_module(f"fbftl.papers.{paper}.claims").HYPOTHESES}
    claims = claims_of(paper, compared, read_claims(texts))
    by_task = examined_by_task(claims, runs_by_task(experiments, uplinks, series, beside))
    table = comparisons_table(by_task, {OURS: len(claims)})
    return ResultTable(table, COLUMNS_OF_HYPOTHESES)
