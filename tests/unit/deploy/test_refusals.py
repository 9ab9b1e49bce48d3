"""What is not deployed is refused in one sentence, before any process starts."""

from pathlib import Path

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.config import Study
from fbftl.study.resolved import study_of
from fbftl_deploy.planning import Order, plan

REFUSED = {
    ("digits", "fbftl+plr=0.123"): "the study makes no setting",
    ("nobody", "fbftl"): "the study has no task 'nobody'",
    ("digits", "sfl"): "the methods that are",
    ("dialogues", "ftl_c"): "the methods that are",
    ("digits", "fbftl+plr=0.5+loss=reshuffled"): "no link has",
    ("digits", "fbftl+mechanism=relative+sigma=0.1"): "which none of them has",
    ("digits", "fbftl+mechanism=gaussian+epsilon=16.0"): "the setting was never run",
    ("digits", "fbftl"): "the setting was never run; make it first with snakemake",
}


@pytest.fixture(scope="module")
def study(root: Path) -> Study:
    return study_of(root)


@pytest.mark.parametrize(("task", "setting"), REFUSED)
def test_a_setting_that_cannot_be_deployed_is_one_sentence(study, tmp_path, task, setting):
    with pytest.raises(UserError, match=REFUSED[task, setting]) as refusal:
        plan(study, Order(task, setting, 0), tmp_path, tmp_path, 0)
    assert "\n" not in str(refusal.value)


def test_a_seed_that_the_task_lacks_is_one_sentence(study, tmp_path):
    with pytest.raises(UserError, match="has no seed 77; give --seed one of 0, 1, 2"):
        plan(study, Order("digits", "fbftl", 77), tmp_path, tmp_path, 0)
