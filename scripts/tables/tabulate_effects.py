"""Tabulate what the public script's habits do to accuracy, each beside its correction."""

from fbftl.findings.columns import SEED_COUNTS, with_spread
from fbftl.findings.runs import read_tidy
from fbftl.findings.tables import Column, write_table
from fbftl.papers.fbftl.effects import effects

POINTS = "{:.2f}"

COLUMNS = [
    Column("id", "Row"),
    Column("finding", "The script"),
    Column("setting", "Setting"),
    Column("selection", "Epoch picked"),
    *with_spread("released", "As released", "%", POINTS),
    *with_spread("corrected", "Corrected", "%", POINTS),
    *with_spread("difference", "Difference", "points", "{:+.2f}"),
    *SEED_COUNTS,
    Column("effect", "Effect"),
    Column("section", "Argued in"),
]


ON_PAGE = ("id", "finding", "selection", "released", "corrected", "difference", "effect", "section")
"""Columns that the page shows; the csv has all."""


def main(runs: str, csv: str) -> None:
    """Write the table of a task from its tidy table `runs`; the other formats go beside the csv."""
    write_table(csv, effects(read_tidy(runs)), COLUMNS, ON_PAGE)
