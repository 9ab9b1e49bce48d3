"""Audit every mechanism many times, right and broken, and keep the table in `docs/results/audits/`.

    PYTHONPATH=scripts python scripts/tools/keep_audits.py [--processes N]

For maintainers, some twenty minutes of a core; no rule runs it. A call that was stopped goes on
where it was: finished cells are in `results/audits/cells.jsonl`, which is removed in the end; those
of another commit, and a line that a kill has cut, are made again. It fails if a fault is missed
once or right mechanisms fail too often. `renew_results.py` fills the numbers into the pages.
"""

import argparse
import json
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pandas as pd
from fbftl.attacks.audits.repeated import Cell, cells, most_failures
from fbftl.attacks.audits.trial import RIGHT
from fbftl.findings.kept import KEPT
from fbftl.findings.tables import Column, write_table
from fbftl.ground.files import replacing, write_json, write_text, writing
from fbftl.ground.provenance import commit
from fbftl.study.methods import axes_by_method

FOLDER = KEPT / "audits"

FINISHED = Path("results", "audits", "cells.jsonl")

COMMIT = "commit"
"""What a row says of the code that made it."""

BROKEN, LEAST_RIGHT = 20, 400
"""Tests of each broken cell, and of all right ones together at least."""

COLUMNS = [
    Column("mechanism", "Mechanism"),
    Column("neighbours", "Neighbours"),
    Column("fault", "Fault"),
    Column("epsilon", "ε", format="{:g}"),
    Column("failed", "Failed", format="{:.0f}"),
    Column("repetitions", "Tests", format="{:.0f}"),
    Column("pairs", "Pairs at most", format="{:,.0f}"),
]


def main(processes: int, root: Path = Path()) -> int:
    """Audit, write table and numbers, and return 0 if all is as it should be."""
    every = cells()
    right = sum(cell.fault == RIGHT for cell in every)
    repetitions = {
        cell: -(-LEAST_RIGHT // right) if cell.fault == RIGHT else BROKEN for cell in every
    }
    finished, of_commit = root / FINISHED, commit()
    rows = read_rows(finished, of_commit)
    missing = [cell for cell in every if (cell, repetitions[cell]) not in rows]
    # Right mechanisms last, whose tests go through all of their stages.
    missing.sort(key=lambda cell: cell.fault == RIGHT)
    axes = axes_by_method()
    # Without what a kill has cut, so that the next line begins where it should.
    write_text(
        finished, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows.values())
    )
    pool = ProcessPoolExecutor(processes, get_context("spawn"))
    with writing(finished), pool, finished.open("a") as log:
        running = [pool.submit(cell.repeated, repetitions[cell], axes) for cell in missing]
        for future in as_completed(running):
            line = json.dumps(future.result() | {COMMIT: of_commit}, ensure_ascii=False)
            print(line, file=log, flush=True)
            print(line, flush=True)
    rows = read_rows(finished, of_commit)
    table = pd.DataFrame([rows[cell, repetitions[cell]] for cell in every]).drop(columns=COMMIT)
    summary = numbers(table)
    written = finished.with_name("mechanism_tests.csv")
    write_table(written, table, COLUMNS)
    for path in (written, written.with_suffix(".md")):
        with replacing(root / FOLDER / "tables" / path.name) as temporary:
            shutil.copyfile(path, temporary)
    write_json(root / FOLDER / "numbers.json", summary)
    finished.unlink()
    whole = summary["audits/caught"] == summary["audits/broken"]
    return 0 if whole and summary["audits/false"] <= summary["audits/most_false"] else 1


def read_rows(path: Path, of_commit: str | None) -> dict[tuple[Cell, int], dict[str, Any]]:
    """Return the rows of cells that were finished at a commit, by cell and number of tests."""
    if not path.exists():
        return {}
    whole, _, _ = path.read_text(encoding="utf-8").rpartition("\n")
    rows = [json.loads(line) for line in whole.splitlines()]
    return {
        (Cell(row["mechanism"], row["fault"], row["epsilon"]), row["repetitions"]): row
        for row in rows
        if row[COMMIT] == of_commit
    }


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
        "audits/minutes": float(table["seconds"].sum() / 60),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--processes", type=int, default=1, help="at once")
    sys.exit(main(parser.parse_args().processes))
