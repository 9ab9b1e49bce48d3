"""A published task: a study on its features ends as the one that they come from."""

import csv
import json
import subprocess
from typing import Any

import pytest
import yaml
from fbftl.ground.errors import UserError
from project import Project


def runs_of(project: Project, task: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return what each setting and seed of a task came to."""
    found = {}
    with open(project.results / task / "runs.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            run = project.results / "store" / "runs" / f"{row['key']}.json"
            (found[row["setting"], row["seed"]],) = json.loads(run.read_bytes())["repetitions"]
    return found


def publish(project: Project) -> subprocess.CompletedProcess[str]:
    """Publish the features of the toy study's digits."""
    tool = "scripts/tools/publish_features.py"
    return project.python(tool, "digits", "shared/digits", PYTHONPATH="scripts")


def test_a_study_on_published_features_ends_as_the_one_that_they_come_from(finished):
    done = publish(finished)
    assert done.returncode == 0, done.stderr
    again = publish(finished)
    assert again.returncode == 1
    assert "shared/digits is there already" in again.stderr
    # What trains is the toy study's; what it trains on is not.
    toy = yaml.safe_load((finished.folder / "tests/workflow/toy.yaml").read_text())
    config = yaml.safe_load((finished.folder / "config.yaml").read_text())
    training = config["tasks"]["digits"]["training"] | toy["tasks"]["digits"]["training"]
    task = {
        **yaml.safe_load(done.stdout),
        "clients": {"partition": "given"},
        "source": {"kind": "vectors"},
        "features": {"cut": "columns"},
        "head": toy["tasks"]["digits"]["head"],
        "training": training,
    }
    study = {
        "data_folder": ".",
        "study": {"tasks": ["opened"], "experiments": ["scarcity"]},
        "tasks": {"opened": task},
    }
    finished.finish("results/opened/figures/scarcity.svg", study=study)
    opened, digits = (runs_of(finished, task) for task in ("opened", "digits"))
    assert opened.keys() == digits.keys() != set()
    for run, mine in opened.items():
        # Nobody is sent a network that is not known.
        assert mine.pop("frozen_bits") < digits[run].pop("frozen_bits")
        assert mine == digits[run]
    task["data"]["sha256"] = "1" * 64
    with pytest.raises(UserError, match=r"zarr\.json has the SHA-256 .*, and data\.sha256 is 1111"):
        finished.left(study)
