"""Pinned arithmetic in a study: jobs compute with it, it decides them, no shell undoes it."""

import json
import os

import pytest
from fbftl.ground.exact import VARIABLES, is_pinned, this_machine

pytestmark = pytest.mark.skipif(
    not is_pinned("auto", "auto", this_machine()),
    reason="this computer cannot pin its arithmetic",
)


def test_jobs_compute_pinned_whatever_the_calling_shell_has(finished, monkeypatch):
    """Variables that this process has are taken out, so that jobs get theirs from the study."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    run = min(finished.results.glob("store/runs/*.json"))
    run.unlink()
    finished.finish("runs")
    arithmetic = json.loads(run.read_text())["made"]["arithmetic"]
    assert arithmetic["variables"] == VARIABLES
    assert arithmetic["capability"] == "AVX2"
    assert not VARIABLES.keys() & os.environ.keys()


def test_arithmetic_decides_every_job(reference):
    assert not reference.left({"exact": "auto"}).jobs
    jobs = reference.left({"exact": False}).jobs
    assert {"clients", "source", "extract", "networks", "train"} <= jobs.keys()
