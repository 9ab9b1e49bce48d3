"""Formulas of claims come to what is kept of them."""

from pathlib import Path

import pandas as pd
import pytest
from fbftl.ground.files import csv_rows
from fbftl.papers.claim_rows import ClaimForm, read_rows
from fbftl.papers.evaluated import evaluate, rules_of
from fbftl.papers.record import PaperRecord
from test_claim_rows import CLAIMS, PAPERS


@pytest.mark.parametrize("paper", PAPERS)
def test_what_formulas_decide_is_what_is_kept(root: Path, paper: str) -> None:
    kept = root / "docs/results/papers"
    audit = {row["id"]: row for row in csv_rows(kept / "audit.csv") if row["paper"] == paper}
    record = PaperRecord.of((root / "published" / paper).glob("*.csv"), audit=audit)
    registry = read_rows(CLAIMS / f"{paper}.csv")
    formulas = [row for row in registry if row.form is ClaimForm.FORMULA and not row.tasks]
    decided = [
        (claim.id, found.part.name, str(found.verdict))
        for claim in evaluate(formulas, {}, {}, record, rules_of(paper))
        for _, parts in claim.clauses
        for found in parts
    ]
    table = pd.read_csv(kept / paper / "tables" / "claim_parts.csv", keep_default_na=False)
    of_formulas = table[table["form"].eq("formula") & table["task"].eq("")]
    columns = ["claim", "part", "verdict"]
    assert decided == list(of_formulas[columns].itertuples(index=False, name=None))
