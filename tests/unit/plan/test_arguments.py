"""Every step of a plan has, once each, what the `main` of its script takes."""

import os
from pathlib import Path

import pytest
from fbftl.findings.steps import Step, arguments, load
from fbftl.plan.opened import Prepared

OF_STUDY = {"axes": {}, "data_folder": None, "device": "cpu", "threads": 1}


@pytest.mark.parametrize("papers", [None, "all"])
def test_every_step_has_what_its_script_takes(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, papers: str | None
) -> None:
    """A name that a step has twice or lacks would end its job, perhaps after hours."""
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setenv("FBFTL_STORE", str(tmp_path))
    plan = Prepared.of_files(root, more={"papers": papers}).plan()
    makings = [making for job in plan.products for making in job.note["makings"]]
    steps = [Step(**making["step"]) for making in makings]
    steps += [Step(**step) for each in plan.bundles for step in each.note["steps"]]
    assert len({step.script for step in steps}) > (30 if papers is None else 90)
    for step in steps:
        assert arguments(load(step.script).main, step, OF_STUDY)
