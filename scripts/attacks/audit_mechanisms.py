"""Audit mechanisms, each as it is and broken on purpose: what epsilon their outputs allow."""

from typing import Any

import pandas as pd
from fbftl.attacks.audits.repeated import cells
from fbftl.findings.runs import write_tidy
from fbftl.ground.binding import run_by_name


def main(csv: str, axes: dict[str, Any]) -> None:
    """Write a row per mechanism, fault and epsilon, each of one test.

    Args:
        csv: table to write.
        axes: the axes that each method knows, with their defaults.
    """
    write_tidy(csv, pd.DataFrame([cell.tested(axes) for cell in cells()]))


if __name__ == "__main__":
    run_by_name(snakemake, main)
