"""Private gradient descent on toy blobs: what it took and added, and the scale of public rows."""

from dataclasses import replace

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.methods.by_name import train
from fbftl.methods.private_gd.run import noise_of, public_scale
from fbftl.privacy.accounting import gaussian_epsilon, loose_zcdp_epsilon
from fbftl.privacy.schedules import spent
from unit.methods.method_toys import COUNTS, Blobs, job, with_public

NOISY = {"method": "private_gd", "mechanism": "dp_gd", "epsilon": 4.0, "descent_steps": 20}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return with_public(tmp_path_factory.mktemp("toy"), Blobs())


def private_job(setting):
    """Return a job with what private descent needs beside its setting."""
    plain = job(setting, weight_decay=0.0, learning_rate=1.0)
    scale = {"norm": 10.0, "components": None}
    privacy = replace(plain.privacy, delta=1e-8, gradient_clip=2.0, public_scale=scale)
    return replace(plain, privacy=privacy)


def test_a_run_says_what_it_took_and_what_it_guarantees(inputs):
    clean, noisy = (
        train([private_job(setting)], inputs)[0]
        for setting in (
            {"method": "private_gd", "descent_steps": 20},
            NOISY | {"accountant": "zcdp"},
        )
    )
    for outcome in (clean, noisy):
        for repetition in outcome.repetitions:
            assert len(repetition["series"]["loss"]) == 21
            assert repetition["training_loss"] == repetition["series"]["loss"][-1]
            assert repetition["seen"] == COUNTS["train"]
    assert clean.repetitions[0]["test_accuracy"] > 0.9
    assert clean.repetitions[0]["training_loss"] < noisy.repetitions[0]["training_loss"]
    rows = noisy.ledger.table().to_pandas().query("direction == 'up'")
    assert len(rows) == 2 * COUNTS["train"]
    zcdp, exact, replaced = noisy.repetitions[0]["privacy"]
    assert zcdp["epsilon"] == pytest.approx(4.0)
    assert (zcdp["accountant"], exact["adjacency"]) == ("zCDP", "add-remove")
    assert exact["epsilon"] < 4 < replaced["epsilon"]


@pytest.mark.parametrize("schedule", [{}, {"schedule": "exp", "decay": 3.0}])
@pytest.mark.parametrize("accountant", ["exact", "zcdp"])
def test_records_are_those_of_the_schedule_s_budget(schedule, accountant):
    noise = noise_of(private_job(NOISY | schedule | {"accountant": accountant}))
    budget = spent(noise.multipliers)
    assert noise.records[0].epsilon == pytest.approx(4.0)
    assert noise.records[0].sigma == noise.multipliers.min()
    removed, replaced = noise.records[-2:]
    assert removed.epsilon == pytest.approx(gaussian_epsilon(budget**-0.5, 1e-8, "add-remove"))
    assert replaced.epsilon == pytest.approx(gaussian_epsilon(budget**-0.5, 1e-8, "replace-one"))
    if accountant == "zcdp":
        assert loose_zcdp_epsilon(budget / 2, 1e-8) == pytest.approx(4.0)


@pytest.mark.parametrize("accountant", ["exact", "zcdp"])
def test_noise_for_a_row_replaced_is_more_and_its_record_comes_first(accountant):
    axes = NOISY | {"accountant": accountant}
    removed, replaced = (
        noise_of(private_job(axes | {"neighbour_relation": who})) for who in ("removed", "replaced")
    )
    assert replaced.records[0].adjacency == "replace-one"
    assert replaced.records[0].epsilon == pytest.approx(4.0)
    assert replaced.multipliers == pytest.approx(2 * removed.multipliers)


def test_a_given_sigma_is_that_of_even_noise_and_others_cost_as_much():
    axes = {"method": "private_gd", "mechanism": "dp_gd", "sigma": 9.0, "descent_steps": 30}
    even, falling = (
        noise_of(private_job(axes | more)).multipliers
        for more in ({}, {"schedule": "exp", "decay": 5.0})
    )
    assert even == pytest.approx(np.full(30, 9.0))
    assert spent(falling) == pytest.approx(spent(even))


def test_one_step_is_twice_as_loud_and_costs_less():
    even, louder = (noise_of(private_job(NOISY | more)) for more in ({}, {"louder_step": 3}))
    ratio = louder.multipliers / even.multipliers
    assert ratio.tolist() == [1.0, 1.0, 2.0, *[1.0] * 17]
    assert spent(louder.multipliers) < spent(even.multipliers)
    assert louder.records[0].epsilon < even.records[0].epsilon


def test_the_scale_of_the_data_takes_the_place_of_the_task_s(inputs):
    small, usual, same = (
        train([private_job({"method": "private_gd", "descent_steps": 3} | more)], inputs)[0]
        for more in ({"data_scale": 1.0}, {}, {"data_scale": 10.0})
    )
    losses = [outcome.repetitions[0]["series"]["loss"] for outcome in (small, usual, same)]
    assert losses[1] == losses[2] != losses[0]


PUBLIC = np.random.default_rng(0).normal([1, 2, 3, 4], [1, 5, 2, 0], (200, 4)).astype(np.float32)


@pytest.mark.parametrize("components", [None, 3])
def test_public_samples_come_out_centred_with_equal_spreads_and_the_norm(components):
    rows = public_scale(PUBLIC, 10.0, components)(PUBLIC)
    assert rows.mean(axis=0) == pytest.approx(np.zeros(components or 4), abs=1e-5)
    moving = rows.std(axis=0)[:3]
    assert moving == pytest.approx(np.full(3, moving[0]), rel=1e-5)
    assert np.linalg.norm(rows, axis=1).max() == pytest.approx(10.0, rel=1e-5)


def test_a_private_row_is_clipped_and_looks_at_no_other():
    scale = public_scale(PUBLIC, 10.0)
    far = np.array([[1000, 2, 3, 4], [1, 2, 3, 4]], dtype=np.float32)
    long, short = np.linalg.norm(scale(far), axis=1)
    assert long == pytest.approx(10.0, rel=1e-5)
    assert short < 1
    assert np.array_equal(scale(far)[:1], scale(far[:1]))


def test_more_components_than_numbers_are_refused():
    with pytest.raises(UserError, match="components is 5, but there are 200 public samples of 4"):
        public_scale(PUBLIC, 10.0, 5)
