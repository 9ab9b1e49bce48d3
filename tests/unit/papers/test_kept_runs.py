"""Claims are judged by kept runs as by fresh ones, and by means where nothing else was kept."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fbftl.findings.kept import KEPT
from fbftl.papers.measures import MEASURES, ClaimMeasure, measures_of
from fbftl.papers.quantities import Runs, keep_runs, kept_files, read_kept
from scipy.stats import t
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
