"""Claims and tables of papers come to what is kept of them, from kept runs and by formulas."""

import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest
from drawn import drawing
from fbftl.findings.kept import KEPT
from fbftl.ground.files import csv_rows
from fbftl.papers.claim_rows import ClaimTask, read_rows, read_tasks
from fbftl.papers.claim_tables import parts_table
from fbftl.papers.evaluated import evaluate, rules_of
from fbftl.papers.quantities import Runs, kept_files, read_kept
from fbftl.papers.record import PaperRecord
from fbftl.plan.results import made_in_a_loop, of_paper
from test_claim_rows import CLAIMS, PAPERS

ROUNDING = re.compile(r"\d+e-1\d")
"""A number that the order of sums decides."""


@pytest.fixture(scope="module")
def runs(root: Path) -> Mapping[str, Runs]:
    """What the project keeps of runs, by task."""
    return read_kept(root / path for path in kept_files(root, KEPT))


@pytest.fixture(scope="module")
def tasks(runs: Mapping[str, Runs]) -> Mapping[str, ClaimTask]:
    return read_tasks(CLAIMS / "tasks.csv", {name: of.settings for name, of in runs.items()})


@pytest.mark.parametrize("paper", PAPERS)
def test_what_claims_come_to_is_what_is_kept(root, tmp_path, runs, tasks, paper):
    kept = root / KEPT / "papers"
    audit = {row["id"]: row for row in csv_rows(kept / "audit.csv") if row["paper"] == paper}
    record = PaperRecord.of((root / "published" / paper).glob("*.csv"), audit=audit)
    found = evaluate(read_rows(CLAIMS / f"{paper}.csv"), tasks, runs, record, rules_of(paper))
    parts_table(found).to_csv(tmp_path / "parts.csv", index=False)
    require_equal(tmp_path / "parts.csv", kept / paper / "tables" / "claim_parts.csv")


def require_equal(made: Path, kept: Path) -> None:
    """Fail if two tables differ by more than what the order of sums decides."""
    tables = [pd.read_csv(path) for path in (made, kept)]
    for table in tables:
        if "note" in table:
            table["note"] = table["note"].astype(str).str.replace(ROUNDING, "", regex=True)
    pd.testing.assert_frame_equal(*tables, rtol=1e-9)


OF_PRINTED = [("fbftl", "methods"), ("fbftl", "language"), ("fedfeat", "cost")]
OF_PRINTED += [("thesis", "budget_bounds")]
"""Tables made of what papers print and of nothing that was run, each by its paper."""


@pytest.mark.parametrize(("paper", "name"), OF_PRINTED)
def test_tables_without_runs_are_the_kept_ones(root, tmp_path, paper, name):
    entries = {entry.path: entry for entry in made_in_a_loop(of_paper(paper))}
    entry = entries[f"tables/{name}"]
    inputs = {argument: root / path for argument, path in entry.inputs.items()}
    drawing(entry.by)(**inputs, **entry.params).write(tmp_path / "table.csv")
    require_equal(tmp_path / "table.csv", root / KEPT / "papers" / paper / "tables" / f"{name}.csv")
