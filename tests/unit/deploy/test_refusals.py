"""What is not deployed is refused in one sentence, before any process starts."""

from pathlib import Path

import pytest
from fbftl.ground.errors import UserError
from fbftl.plan.opened import Prepared
from fbftl_deploy.planning import Order, parties, plan, require_deployable
from unit.deploy.in_process import params_of, planned

REFUSED = {
    ("digits", "fbftl+plr=0.123"): "the study makes no setting",
    ("nobody", "fbftl"): "the study has no task 'nobody'",
    ("digits", "sfl"): "the methods that are",
    ("dialogues", "ftl_c"): "the methods that are",
    ("digits", "fbftl+plr=0.5+loss=reshuffled"): "no link has",
    ("digits", "fbftl+mechanism=relative+sigma=0.1"): "which none of them has",
    ("digits", "one_shot+message=means+head=fedcof"): "statistics are what is deployed",
    ("digits", "fbftl"): "is missing .*; run it first",
}


@pytest.fixture(scope="module")
def prepared(root: Path) -> Prepared:
    return Prepared.of_files(root, more={"store": "nowhere"})


@pytest.mark.parametrize(("task", "setting"), REFUSED)
def test_a_setting_that_cannot_be_deployed_is_one_sentence(prepared, task, setting):
    with pytest.raises(UserError, match=REFUSED[task, setting]) as refusal:
        plan(prepared, Order(task, setting))
    assert "\n" not in str(refusal.value)


def test_a_seed_that_the_task_lacks_is_one_sentence(prepared):
    with pytest.raises(UserError, match="has no seed 77; give --seed one of 0, 1, 2"):
        plan(prepared, Order("digits", "fbftl", 77))


WITHOUT_PROTECTION = {
    "masked": ("one_shot", {"message": "statistics", "head": "lda", "aggregation": "masked"}),
    "masked weights": ("fedavg", {"aggregation": "masked"}),
    "noise": ("ftl_c", {"mechanism": "dp_fedavg", "sigma": 1.0}),
}
"""Settings whose protection a deployment would not have."""


@pytest.mark.parametrize("setting", WITHOUT_PROTECTION)
def test_what_only_a_study_protects_is_refused(files, setting):
    job = planned(files, params_of(*WITHOUT_PROTECTION[setting])).server.setting.job
    reason = "only a study models" if "masked" in setting else "protects nobody"
    with pytest.raises(UserError, match=reason):
        require_deployable(Order("toy", setting), job)


def test_more_clients_or_rounds_than_a_machine_starts_are_one_sentence(files, monkeypatch):
    monkeypatch.setattr("fbftl_deploy.planning.MOST_CLIENTS", 15)
    with pytest.raises(UserError, match="takes 16 clients and 1 rounds"):
        planned(files, params_of("fbftl", {}))
    few = parties(params_of("fbftl", {}), files, Order("toy", "fbftl", clients=3))
    assert few.server.taking_part == [0, 1, 2]
    assert not few.whole
    assert sum(len(client.rows) for client in few.clients) == len(few.server.client)
