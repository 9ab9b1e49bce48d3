"""Tabulate what the public script's habits do to accuracy, each beside its correction."""

from fbftl.findings.columns import SEED_COUNTS, with_spread
from fbftl.findings.runs import read_tidy
from fbftl.findings.tables import Column, ResultTable
from fbftl.papers.fbftl.effects import effects

POINTS = "{:.2f}"

COLUMNS = [
    Column("id", "Row", page=True),
    Column("finding", "The script", page=True),
    Column("setting", "Setting"),
    Column("selection", "Epoch picked", page=True),
    *with_spread("released", "As released", "%", POINTS, page=True),
    *with_spread("corrected", "Corrected", "%", POINTS, page=True),
    *with_spread("difference", "Difference", "points", "{:+.2f}", page=True),
    *SEED_COUNTS,
    Column("effect", "Effect", page=True),
    Column("section", "Argued in", page=True),
]


def main(runs: str) -> ResultTable:
    """Return the table of a task from its tidy table `runs`."""
    return ResultTable(effects(read_tidy(runs)), COLUMNS)
