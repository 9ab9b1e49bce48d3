"""Kept runs judge claims as fresh ones do, and claims and tables come to what is kept of them."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from drawn import drawing
from fbftl.findings.kept import KEPT
from fbftl.ground.files import csv_rows
from fbftl.papers.claim_rows import ClaimTask, read_rows, read_tasks
from fbftl.papers.claim_tables import parts_table
from fbftl.papers.evaluated import evaluate, rules_of
from fbftl.papers.measures import MEASURES, ClaimMeasure, measures_of
from fbftl.papers.quantities import Runs, keep_runs, kept_files, read_kept
from fbftl.papers.record import PaperRecord
from fbftl.plan.results import of_paper
from scipy.stats import t
from test_claim_rows import CLAIMS, PAPERS
from test_evaluated import ROW, only_part, runs

SERIES = pd.DataFrame(
    {
        "task": "large", "setting": "a", "seed": seed, "series": series, "by": "round",
        "step": step, "value": 0.1 * step + seed,
    }
    for series in ("test_accuracy", "loss")
    for seed in (0, 1)
    for step in (1, 2, 3)
)  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that keeps the runs of one task and the means of another."""
    measured = runs(("b", 1), a=[0.91, 0.8], b=[0.7, 0.1])
    table = measured.table.assign(method=measured.table["setting"], ssim=np.nan)
    keep_runs(Runs(table, series=SERIES), tmp_path / KEPT / "large")
    means = tmp_path / KEPT / "means"
    means.mkdir()
    numbers = {
        f"means/{setting}/{name}": value
        for setting, accuracy, spread in (("a", 80.0, 3.0), ("b", 70.0, 4.0))
        for name, value in (("accuracy", accuracy), ("spread", spread))
    }
    (means / "numbers.json").write_text(json.dumps(numbers))
    made = {"runs": {"means": {"a": {"seeds": [1, 2, 3, 4]}, "b": {"seeds": [1, 2, 3, 4, 5]}}}}
    (means / "made.json").write_text(json.dumps(made))
    return tmp_path


@pytest.fixture
def kept(project: Path) -> dict[str, Runs]:
    """What the project keeps, by task."""
    return read_kept(project / path for path in kept_files(project, KEPT))


def test_kept_runs_measure_what_fresh_ones_do(kept):
    accuracy = MEASURES["accuracy"]
    assert isinstance(accuracy, ClaimMeasure)
    assert accuracy.values(kept["large"], "a").to_dict() == {0: 91.0, 1: 80.0}
    assert kept["large"].settings == {"a", "b"}
    assert "ssim" not in kept["large"].table
    fresh = only_part(ROW, runs(("b", 1), a=[0.91, 0.8], b=[0.7, 0.1]))
    assert only_part(ROW, kept["large"]) == fresh


def test_series_that_claims_follow_are_kept(kept):
    of = ["setting", "seed", "series", "step", "value"]
    expected = SERIES[SERIES["series"] == "test_accuracy"][of]
    found = kept["large"].series[of].sort_values(["seed", "step"], ignore_index=True)
    pd.testing.assert_frame_equal(found, expected.reset_index(drop=True), check_dtype=False)


def test_means_alone_are_not_paired(kept):
    part = only_part(ROW, kept["means"])
    assert (part.effect, part.seeds, part.note) == (pytest.approx(10), 4, "from means alone")
    of_seeds = float(t.ppf(0.975, 3)) * 5 / 2
    of_test_set = 1.96**2 * (0.8 * 0.2 + 0.7 * 0.3)  # times 100^2 over 10,000 samples
    assert part.upper - part.effect == pytest.approx(np.hypot(of_seeds, of_test_set**0.5), 1e-3)


def test_without_kept_results_nothing_is_read(tmp_path):
    assert read_kept(kept_files(tmp_path, KEPT)) == {}


@pytest.mark.parametrize(
    ("task", "measure"),
    [("digits-network-full", "accuracy_x1"), ("bridged_domain-full", "accuracy_1")],
)
def test_answers_that_are_kept_are_those_of_the_accuracy(root, task, measure):
    """Each is the mean of the answers that are paired for it."""
    accuracy = measures_of("thesis")[measure]
    assert isinstance(accuracy, ClaimMeasure)
    (runs_of_task,) = read_kept([root / KEPT / task / "runs.csv"]).values()
    compared = 0
    for setting in sorted(runs_of_task.settings):
        values = accuracy.values(runs_of_task, setting)
        right = accuracy.percents_right(runs_of_task, setting)
        if len(values) and right is not None:
            assert right.mean() == pytest.approx(values.mean())
            compared += 1
    assert compared >= 5


ROUNDING = re.compile(r"\d+e-1\d")
"""A number that the order of sums decides."""


@pytest.fixture(scope="module")
def every_run(root: Path) -> Mapping[str, Runs]:
    """What the project keeps of every_run, by task."""
    return read_kept(root / path for path in kept_files(root, KEPT))


@pytest.fixture(scope="module")
def tasks(every_run: Mapping[str, Runs]) -> Mapping[str, ClaimTask]:
    return read_tasks(CLAIMS / "tasks.csv", {name: of.settings for name, of in every_run.items()})


@pytest.mark.parametrize("paper", PAPERS)
def test_what_claims_come_to_is_what_is_kept(root, tmp_path, every_run, tasks, paper):
    kept = root / KEPT / "papers"
    audit = {row["id"]: row for row in csv_rows(kept / "audit.csv") if row["paper"] == paper}
    record = PaperRecord.of((root / "published" / paper).glob("*.csv"), audit=audit)
    found = evaluate(read_rows(CLAIMS / f"{paper}.csv"), tasks, every_run, record, rules_of(paper))
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
    entries = {entry.path: entry for entry in of_paper(paper)}
    entry = entries[f"tables/{name}"]
    printed = {name: path for name, path in entry.inputs.items() if isinstance(path, str)}
    inputs = {argument: root / path for argument, path in printed.items()}
    drawing(entry.by)(**inputs, **entry.params).write(tmp_path / "table.csv")
    require_equal(tmp_path / "table.csv", root / KEPT / "papers" / paper / "tables" / f"{name}.csv")
