"""Audit mechanisms, each as it is and broken on purpose: what epsilon their outputs allow."""

import pandas as pd
from fbftl.attacks.audits.repeated import cells
from fbftl.findings.runs import write_tidy
from fbftl.ground.binding import run_by_name


def main(csv: str) -> None:
    """Write a row per mechanism, fault and epsilon, each of one test.

    Args:
        csv: table to write.
    """
    write_tidy(csv, pd.DataFrame([cell.tested() for cell in cells()]))


if __name__ == "__main__":
    run_by_name(snakemake, main)
