"""Formulas of claims and of tables come to what is kept of them."""

import re
from pathlib import Path

import pandas as pd
import pytest
from drawn import drawing
from fbftl.ground.files import csv_rows
from fbftl.papers.claim_rows import ClaimForm, read_rows
from fbftl.papers.evaluated import evaluate, rules_of
from fbftl.papers.record import PaperRecord
from fbftl.plan.results import made_in_a_loop, of_paper
from test_claim_rows import CLAIMS, PAPERS

KEPT = Path("docs/results/papers")

ROUNDING = re.compile(r"\d+e-1\d")
"""A number that the order of sums decides."""


@pytest.mark.parametrize("paper", PAPERS)
def test_what_formulas_decide_is_what_is_kept(root: Path, paper: str) -> None:
    kept = root / KEPT
    audit = {row["id"]: row for row in csv_rows(kept / "audit.csv") if row["paper"] == paper}
    record = PaperRecord.of((root / "published" / paper).glob("*.csv"), audit=audit)
    registry = read_rows(CLAIMS / f"{paper}.csv")
    formulas = [row for row in registry if row.form is ClaimForm.FORMULA and not row.tasks]
    decided = [
        (claim.id, found.part.name, str(found.verdict), ROUNDING.sub("", found.note))
        for claim in evaluate(formulas, {}, {}, record, rules_of(paper))
        for _, parts in claim.clauses
        for found in parts
    ]
    table = pd.read_csv(kept / paper / "tables" / "claim_parts.csv", keep_default_na=False)
    of_formulas = table[table["form"].eq("formula") & table["task"].eq("")]
    of_formulas = of_formulas.assign(note=of_formulas["note"].str.replace(ROUNDING, "", regex=True))
    columns = ["claim", "part", "verdict", "note"]
    assert decided == list(of_formulas[columns].itertuples(index=False, name=None))


OF_PRINTED = [("fbftl", "methods"), ("fbftl", "language"), ("fedfeat", "cost")]
OF_PRINTED += [("thesis", "budget_bounds")]
"""Tables made of what papers print and of nothing that was run, each by its paper."""


@pytest.mark.parametrize(("paper", "name"), OF_PRINTED)
def test_tables_without_runs_are_the_kept_ones(
    root: Path, tmp_path: Path, paper: str, name: str
) -> None:
    entries = {entry.path: entry for entry in made_in_a_loop(of_paper(paper))}
    entry = entries[f"tables/{name}"]
    inputs = {argument: root / path for argument, path in entry.inputs.items()}
    drawing(entry.by)(**inputs, **entry.params).write(tmp_path / "table.csv")
    made, kept = (
        pd.read_csv(path, keep_default_na=False)
        for path in (tmp_path / "table.csv", root / KEPT / paper / "tables" / f"{name}.csv")
    )
    pd.testing.assert_frame_equal(made, kept)
