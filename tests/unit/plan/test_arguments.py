"""A plan from an empty store: steps have what their scripts take, and all that is asked is made."""

import os
from pathlib import Path

import pytest
from fbftl.findings.steps import Step, arguments, load
from fbftl.ground.artefacts import Artefact
from fbftl.plan.opened import Prepared
from fbftl.plan.planned import Plan

OF_STUDY = {"axes": {}, "data_folder": None, "device": "cpu", "threads": 1}


@pytest.fixture(scope="module", params=[None, "all"])
def plan(
    request: pytest.FixtureRequest, root: Path, tmp_path_factory: pytest.TempPathFactory
) -> Plan:
    """The default study's, and that of all papers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "environ", dict(os.environ))
        patch.setenv("FBFTL_STORE", str(tmp_path_factory.mktemp("store")))
        return Prepared.of_files(root, more={"papers": request.param}).plan()


def test_every_step_has_what_its_script_takes(plan):
    """A name that a step has twice or lacks would end its job, perhaps after hours."""
    makings = [making for job in plan.products for making in job.note["makings"]]
    steps = [Step(**making["step"]) for making in makings]
    steps += [Step(**step) for each in plan.results for step in each.note["steps"]]
    assert len({(step.script, step.function) for step in steps}) > 30
    for step in steps:
        # It raises where one is lacking.
        arguments(getattr(load(step.script), step.function), step, OF_STUDY)


def test_what_a_study_asks_for_is_what_an_empty_store_lacks(plan):
    """So that `./run clean` removes nothing that another seed would read."""
    makings = [making for job in plan.products for making in job.note["makings"]]
    made = {Artefact(**each).key for making in makings for each in making["artefacts"]}
    units = [unit for job in plan.trained for unit in job.note["units"]]
    runs = {key for unit in units for of_one in unit["settings"] for key in of_one["keys"]}
    needed = dict(plan.needed())
    assert set(needed.pop("runs")) == runs
    assert {key for keys in needed.values() for key in keys} == made
