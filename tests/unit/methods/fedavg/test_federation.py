"""FedAvg by sums, and the survey's simulation of it: draws, starts of their own, a falling rate."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from fbftl.data.participation import at_most
from fbftl.ground.errors import UserError
from fbftl.methods.fedavg.run import initial_learner, own_starts, run
from fbftl.training.batches import drawn_rounds
from fbftl.training.local import one_by_one, train_clients
from fbftl.training.local_network import local_network
from fbftl.training.local_updates import Hooks, LocalUpdate
from fbftl.training.tasks.images_samples import client_samples
from fbftl.training.tasks.task import Repetition
from unit.training.tasks.toy_task import LOCAL, MLP, job
from unit.training.test_local import LOCAL_UPDATES, PLAN, flat
from unit.training.training_toys import dense, samples


@pytest.fixture(scope="module")
def initial_of(digits):
    """What fedavg begins with on the toy task: a function of the setting's axes."""

    def of(**axes):
        of_axes = job({"method": "fedavg"} | axes, MLP, **LOCAL | {"local_batch": 4})
        client_data = client_samples(of_axes, digits)
        repetition = Repetition(of_axes, 1, np.split(np.arange(120), 3), np.arange(0))
        return client_data, repetition, initial_learner(client_data, repetition)

    return of


def test_own_starts_are_one_network_for_each_client_and_one_for_all_from_round_two(initial_of):
    client_data, repetition, learner = initial_of(initial_weights="own")
    first, second = (next(iter(rounds.single(n))) for n, rounds in enumerate(learner.schedule))
    trained = learner.train(first)
    start = own_starts(client_data, repetition)
    samples = learner.training_data.samples
    for index, client in enumerate(first.clients):
        local_update = LocalUpdate(1, 1, int(client), first.rows[index])
        network = local_network(client_data, replace(repetition, seed=5))
        network.set_weights(start(local_update))
        alone = one_by_one(network.split_model, samples, [local_update], network.plan)
        torch.testing.assert_close(trained.weights[index], alone.weights[0])
    assert (
        len({tuple(start(LocalUpdate(1, 1, c, first.rows[0]))[:3].tolist()) for c in range(3)}) == 3
    )
    common = initial_of()[2]
    common.set_weights(learner.weights())
    assert torch.equal(learner.train(second).weights, common.train(second).weights)


def test_stacked_networks_may_start_apart():
    starts = [torch.full_like(flat(dense()), 0.01 * (index + 1)) for index in range(4)]
    hooks = Hooks(start=lambda local_update: starts[local_update.client])
    stacked = train_clients(dense(), samples(), LOCAL_UPDATES, PLAN, hooks)
    alone = one_by_one(dense(), samples(), LOCAL_UPDATES, PLAN, hooks)
    torch.testing.assert_close(stacked.weights, alone.weights)


def test_the_rate_falls_by_its_factor_from_round_to_round():
    slower = replace(PLAN, training=replace(PLAN.training, decay=0.5))
    half = replace(PLAN, training=replace(PLAN.training, learning_rate=0.025))
    slowed, expected = (train_clients(dense(), samples(), LOCAL_UPDATES, p) for p in (slower, half))
    assert torch.equal(slowed.weights, expected.weights)  # the updates are of round 2


def test_draws_are_new_in_every_round_without_repeats_and_from_all_samples():
    clients = [np.arange(0, 30), np.arange(30, 40)]
    rounds = [round_ for point in drawn_rounds(clients, 25, 2, 3, 0) for round_ in point.single()]
    rows = np.array([round_.rows for round_ in rounds])
    assert rows.shape == (3, 2, 25)
    assert all(len(set(sampled)) == 25 for sampled in rows.reshape(6, 25))
    assert len({tuple(sampled) for sampled in rows.reshape(6, 25)}) == 6
    assert set(rows.ravel()) == set(range(40))
    with pytest.raises(UserError, match=r"draw 41 .* of 40; give resampled_per_round at most 40"):
        next(drawn_rounds(clients, 41, 2, 1, 0))


def test_most_samples_keeps_nested_rows_of_each_client():
    client = np.array([0] * 9 + [1] * 2 + [2] * 6)
    few, more = (at_most(np.arange(17), client, most, 4) for most in (2, 5))
    assert np.bincount(client[more]).tolist() == [5, 2, 5]
    assert set(few) <= set(more)
    assert at_most(np.arange(17), client, None, 4).tolist() == list(range(17))


def test_fedavg_by_sums_is_fedavg_to_the_last_digits(digits):
    outcomes = [
        run(job({"method": "fedavg", "aggregation": how, "plr": 0.3}, MLP, **LOCAL), digits)
        for how in ("open", "masked")
    ]
    curves = [outcome.repetitions[0]["series"]["loss"] for outcome in outcomes]
    np.testing.assert_allclose(*curves, rtol=1e-4)
    tables = [outcome.ledger.table().to_pandas() for outcome in outcomes]
    weights = [table.query("direction == 'up' and part == 'weights'") for table in tables]
    assert weights[0]["lost"].tolist() == weights[1]["lost"].tolist()
    assert weights[1]["encoded"].eq("made").all()
    assert weights[1]["sha256"].nunique() == len(weights[1]) == 10
    (repetition,) = outcomes[1].repetitions
    assert repetition["ring_bits"] == 64
