"""Tabulate what the public script's habits do to accuracy, each beside its correction."""

from fbftl.findings.runs import read_tidy
from fbftl.findings.tables import Column, write_table
from fbftl.ground.logs import run_job
from fbftl.papers.fbftl.effects import effects

PERCENT = "{:.2f}"

COLUMNS = [
    Column("id", "Row"),
    Column("finding", "The script"),
    Column("setting", "Setting"),
    Column("selection", "Epoch picked"),
    Column("released", "As released", "%", PERCENT),
    Column("released_spread", "±", "", PERCENT),
    Column("corrected", "Corrected", "%", PERCENT),
    Column("corrected_spread", "±", "", PERCENT),
    Column("difference", "Difference", "points", "{:+.2f}"),
    Column("difference_spread", "±", "", PERCENT),
    Column("seeds", "Seeds"),
    Column("diverged", "Diverged"),
    Column("effect", "Effect"),
    Column("section", "Argued in"),
]


def main(runs: str, csv: str) -> None:
    """Write the table of a task from its tidy table `runs`; the other formats go beside the csv."""
    write_table(csv, effects(read_tidy(runs)), COLUMNS)


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.runs, job.output.csv))
