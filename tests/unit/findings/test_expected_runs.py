"""Runs held against the configuration that is said to have asked for them."""

import copy
import json
from pathlib import Path

import pytest
from fbftl.findings.expected_runs import require_runs
from fbftl.findings.run_file import run_document, write_run
from fbftl.ground.digests import digests_of_param
from fbftl.ground.errors import UserError

PATH = "results/digits/runs/fbftl.json"
JOB = {
    "task": "digits",
    "setting": {"method": "fbftl"},
    "seeds": [0, 1],
    "training": {"learning_rate": 0.1},
    "privacy": {"delta": 1e-6},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    repetitions = [{"seed": seed, "diverged": False, "series": {}} for seed in (0, 1)]
    path = tmp_path / PATH
    path.parent.mkdir(parents=True)
    write_run(path, run_document(JOB, {}, repetitions))
    record = {
        "rule": "train",
        "wildcards": {},
        "params": {"jobs": digests_of_param([JOB])},
        "inputs": {},
        "outputs": {PATH: "0"},
        "stores": {},
        "lock": "0",
    }
    noted = tmp_path / "results/digits/records/runs/fbftl.json"
    noted.parent.mkdir(parents=True)
    noted.write_text(json.dumps(record))
    return tmp_path


def changed(*keys, to):
    """Return the job with one value changed."""
    job = copy.deepcopy(JOB)
    node = job
    for key in keys[:-1]:
        node = node[key]
    node[keys[-1]] = to
    return job


def test_runs_that_were_asked_for_are_certified(folder: Path) -> None:
    require_runs({PATH: JOB}, folder)


@pytest.mark.parametrize(
    ("jobs", "difference"),
    [
        (
            {PATH: changed("training", "learning_rate", to=0.2)},
            r"has training\.learning_rate 0\.1, the configuration 0\.2",
        ),
        ({PATH: changed("seeds", to=[0])}, r"has seeds \[0, 1\], the configuration \[0\]"),
        ({PATH: changed("privacy", "delta", to=1e-5)}, "was made by a job with other clients"),
        ({}, "is there, for which the configuration does not ask"),
        ({PATH: JOB, "results/digits/runs/fl.json": JOB}, r"asks for .*fl\.json, which is not"),
    ],
    ids=["a changed rate", "changed seeds", "a changed delta", "another study", "a missing run"],
)
def test_another_configuration_is_refused_with_the_first_difference(
    folder: Path, jobs: dict, difference: str
) -> None:
    with pytest.raises(UserError, match=difference):
        require_runs(jobs, folder)
