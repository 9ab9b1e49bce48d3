"""Audit every mechanism many times, right and broken, and keep the table in `docs/results/audits/`.

    PYTHONPATH=scripts python scripts/tools/keep_audits.py [--processes N]

For maintainers, some twenty minutes of a core; no rule runs it. It fails if a fault is missed once
or right mechanisms fail too often. `renew_results.py` fills the numbers into the pages.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pandas as pd
from fbftl.attacks.audits.repeated import RIGHT, Cell, cells, most_failures
from fbftl.findings.kept import KEPT
from fbftl.findings.tables import Column, write_table
from fbftl.ground.files import write_json

FOLDER = KEPT / "audits"

BROKEN, LEAST_RIGHT = 20, 400
"""Tests of each broken cell, and of all right ones together at least."""

COLUMNS = [
    Column("mechanism", "Mechanism"),
    Column("neighbours", "Neighbours"),
    Column("fault", "Fault"),
    Column("epsilon", "ε", format="{:g}"),
    Column("failed", "Failed", format="{:.0f}"),
    Column("repetitions", "Tests", format="{:.0f}"),
    Column("pairs", "Most pairs", format="{:,.0f}"),
]


def main(processes: int, root: Path = Path()) -> int:
    """Audit, write table and numbers, and return 0 if all is as it should be."""
    every = cells()
    right = sum(cell.fault == RIGHT for cell in every)
    repetitions = {cell: BROKEN for cell in every}
    repetitions |= {cell: -(-LEAST_RIGHT // right) for cell in every if cell.fault == RIGHT}
    results: dict[Cell, dict[str, Any]] = {}
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        # Right mechanisms last, whose tests go through all of their stages.
        order = sorted(repetitions, key=lambda cell: cell.fault == RIGHT)
        pending = {pool.submit(cell.repeated, repetitions[cell]): cell for cell in order}
        for finished in as_completed(pending):
            row = results[pending[finished]] = finished.result()
            print(
                f"{len(results)}/{len(every)} {row['mechanism']}, {row['fault']}, ε "
                f"{row['epsilon']:g}: {row['failed']} of {row['repetitions']} failed, "
                f"{row['seconds']:.0f} s",
                flush=True,
            )
    table = pd.DataFrame([results[cell] for cell in every])
    summary = numbers(table)
    write_table(root / FOLDER / "tables" / "mechanism_tests.csv", table, COLUMNS)
    write_json(root / FOLDER / "numbers.json", summary)
    whole = summary["audits/caught"] == summary["audits/broken"]
    return 0 if whole and summary["audits/false"] <= summary["audits/most_false"] else 1


def numbers(table: pd.DataFrame) -> dict[str, float]:
    """Return single numbers of the table by name, for prose."""
    is_right = table["fault"] == RIGHT
    right, broken = table[is_right], table[~is_right]
    whole = broken["failed"] == broken["repetitions"]
    tests = int(right["repetitions"].sum())
    return {
        "audits/mechanisms": int(table["mechanism"].nunique()),
        "audits/cells": len(broken[["mechanism", "fault"]].drop_duplicates()),
        "audits/broken": len(broken),
        "audits/caught": int(whole.sum()),
        "audits/tests_of_each": BROKEN,
        "audits/right": tests,
        "audits/false": int(right["failed"].sum()),
        "audits/most_false": most_failures(tests),
        "audits/most_pairs": int(table["pairs"].max()),
        "audits/minutes": float(table["seconds"].sum() / 60),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--processes", type=int, default=1, help="at once")
    sys.exit(main(parser.parse_args().processes))
