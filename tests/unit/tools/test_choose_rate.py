"""A rate is chosen by what is held out, and runs that cannot be compared are refused."""

import json
from pathlib import Path

import pytest
from choose_rate import best, rates_of
from fbftl.ground.errors import UserError


def run(folder: Path, rate: float, accuracies: list[float], **changes: object) -> str:
    """Write a run file of one rate, whose test accuracy would choose otherwise."""
    measure = {"unit": "share", "better": "higher", "diverged": 0.0}
    document = {
        "schema": 3, "task": f"t-{rate:g}", "name": "eppfl", "setting": {"method": "eppfl"},
        "training": {"learning_rate": rate, "validation": 0.2}, "inputs": {}, "series": {},
        "measures": {"validation_accuracy": measure, "test_accuracy": measure},
        "repetitions": [
            {"seed": seed, "diverged": False, "validation_accuracy": accuracy,
             "test_accuracy": 1 - accuracy}
            for seed, accuracy in enumerate(accuracies)
        ],
    }  # fmt: skip
    path = folder / f"{rate:g}-{len(list(folder.iterdir()))}.json"
    path.write_text(json.dumps(document | changes), encoding="utf-8")
    return str(path)


def test_the_greatest_validation_accuracy_wins_and_of_equals_the_least_rate(tmp_path):
    paths = [
        run(tmp_path, 0.2, [0.7, 0.9]),
        run(tmp_path, 0.05, [0.8, 0.8]),
        run(tmp_path, 0.1, [0.6, 0.9]),
    ]
    rates = rates_of(paths)
    assert [rate.rate for rate in rates] == [0.05, 0.1, 0.2]
    assert best(rates).rate == 0.05
    assert rates[1].line == "0.1: 75.00% +- 15.00% over 2 seeds"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "two runs have the learning rate 0.1; give each rate once"),
        (
            {"name": "eppfl+local_epochs=2", "setting": {"method": "eppfl", "local_epochs": 2}},
            "runs of 2 settings are given",
        ),
    ],
)
def test_runs_that_cannot_be_compared_are_refused(tmp_path, changes, sentence):
    paths = [run(tmp_path, 0.1, [0.5]), run(tmp_path, 0.1, [0.5], **changes)]
    with pytest.raises(UserError, match=sentence):
        rates_of(paths)


def test_a_run_without_held_out_samples_is_refused(tmp_path):
    training = {"learning_rate": 0.1, "validation": 0.0}
    with pytest.raises(UserError, match="holds no samples out"):
        rates_of([run(tmp_path, 0.1, [0.5], training=training)])
