"""FADE equals FedAvg without its game."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from fbftl.exchange.averaging import Server, by_samples, by_weights
from fbftl.exchange.repetition import run_rounds, whole_update
from fbftl.study.job import from_params
from fbftl.study.methods import axes_by_method
from fbftl.training.local_network import LocalNetwork, local_network
from fbftl.training.local_updates import LocalUpdate, mini_batches
from fbftl.training.tasks.images_samples import client_samples
from unit.methods.fade.fade_toys import inputs, job, params, ready


@pytest.mark.parametrize(
    "setting",
    [
        {"adversary": "none"},
        {"adversary": "plain", "opt_out": 1.0},
        {"adversary": "squared", "opt_out": 1.0, "discriminator_rate": 5.0},
    ],
)
@pytest.mark.parametrize("momentum", [1.0, 0.5])
def test_without_a_game_it_is_fedavg_bit_for_bit(files, setting, momentum):
    """Also while lambda is 0 throughout: on the same users, batches and server step."""
    users, seed = {"majority_users": 3}, 1
    game = {"clip": None, "server_momentum": momentum}
    training_run = ready(files, job(users | setting, seeds=(seed,), game=game, local_batch=None))
    rows = training_run.trials[0].users.rows
    fedavg = from_params(
        params({"method": "fedavg"}, seeds=(seed,), local_batch=None), axes_by_method()
    )
    client_data = client_samples(fedavg, inputs(files))
    partition = replace(client_data.partition, client=_client(rows))
    client_data, learners = replace(client_data, partition=partition), []

    def initial_learner(repetition) -> LocalNetwork:
        learners.append(local_network(client_data, repetition))
        return learners[0]

    def part_of_the_way(weights: torch.Tensor, counts: np.ndarray) -> torch.Tensor:
        return torch.lerp(learners[0].weights(), by_samples(weights, counts), momentum)

    train = by_weights(lambda: Server(aggregate=part_of_the_way))
    run_rounds(fedavg, client_data, initial_learner, whole_update(), train=train)
    (learner,) = learners

    def as_fedavg(_: int, round_number: int, user: int) -> list[np.ndarray]:
        local_update = LocalUpdate(seed, round_number, user, rows[user])
        return [batch for _, batch in mini_batches(local_update, learner.plan)]

    training_run.draw = as_fedavg
    list(training_run.train())
    weights = training_run.networks.flat()[0]
    assert len(learner.weights()) <= len(weights)
    np.testing.assert_array_equal(weights[: len(learner.weights())], learner.weights())


def _client(rows: list[np.ndarray]) -> np.ndarray:
    client = np.zeros(sum(map(len, rows)), dtype=np.int64)
    for user, user_rows in enumerate(rows):
        client[user_rows] = user
    return client
