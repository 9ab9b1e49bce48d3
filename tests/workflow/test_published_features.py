"""A published task: a study on its features ends as the one that they come from."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml
from fbftl.findings.run_file import read_run
from project import Project, environment


def repetitions(run: Path) -> list[dict[str, Any]]:
    """Return what a run's seeds came to."""
    return read_run(run)["repetitions"]


def publish(project: Project) -> subprocess.CompletedProcess[str]:
    """Publish the features of the toy study's digits."""
    return subprocess.run(
        [sys.executable, "scripts/tools/publish_features.py", "digits", "shared/digits"],
        cwd=project.folder,
        env=environment() | {"PYTHONPATH": "scripts"},
        capture_output=True,
        text=True,
    )


def test_a_study_on_published_features_ends_as_the_one_that_they_come_from(
    finished: Project,
) -> None:
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
        "papers": None,
        "study": {"tasks": ["opened"], "experiments": ["scarcity"]},
        "tasks": {"opened": task},
    }
    finished.finish("results/opened/figures/scarcity.svg", study=study)
    folder = finished.results / "digits" / "runs"
    runs = [path for path in folder.glob("*.json") if not path.name.endswith(".meta.json")]
    assert runs
    for run in runs:
        opened = finished.results / "opened" / "runs" / run.name
        for mine, theirs in zip(*map(repetitions, (opened, run)), strict=True):
            # Nobody is sent a network that is not known.
            assert mine.pop("frozen_bits") < theirs.pop("frozen_bits")
            assert mine == theirs
    task["data"]["sha256"] = "1" * 64
    refused = finished.call("-n", study=study)
    assert refused.returncode == 1
    assert re.search(r"zarr\.json has the SHA-256 .*, and data\.sha256 is 1111", refused.stderr)
