"""FADE in whole runs: its game, who is dealt what, what is sent and what nobody is told."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import torch
from fbftl.exchange.averaging import Server, by_samples, by_weights
from fbftl.exchange.repetition import run_rounds, whole_update
from fbftl.features.store.reader import open_store
from fbftl.ground.errors import UserError
from fbftl.methods.by_name import train
from fbftl.methods.fade.groups import Ranges, dealt, grouped_clients
from fbftl.methods.fade.rounds import Debiasing, debiasing
from fbftl.methods.fade.run import by_group, linear_probe
from fbftl.study.job import Job, from_params
from fbftl.study.methods import axes_by_method
from fbftl.training.local_network import LocalNetwork, local_network
from fbftl.training.local_updates import LocalUpdate, mini_batches
from fbftl.training.tasks.images_samples import client_samples
from fbftl.training.tasks.task import Inputs
from unit.training.tasks.toy_vectors import CLIENTS
from unit.training.tasks.training import train_setting

NETWORK = {"kind": "mlp", "fc": [8, 4], "norm": "none", "dropout": 0.0, "cut": "relu_fc2"}
NETWORK |= {"last": "relu", "init": "he"}
GAME = {"discriminator": [6], "clip": 1.0, "server_momentum": 0.5, "falling_rate": False}
GAME |= {"warm_up": 0.0, "labelled": None, "points": 2}
TRAINING = {"epochs": 1, "batch": 1, "clients_per_round": 2, "learning_rate": 0.1}
TRAINING |= {"momentum": 0.0, "weight_decay": 0.0, "validation": 0.0, "selection": "last"}
TRAINING |= {"rounds": 12, "local_batch": 16}
PLAIN = {"adversary": "plain", "majority_users": 3}


def params(setting: dict[str, Any], seeds=(0, 1), game=None, **training) -> dict[str, Any]:
    return {
        "task": "people",
        "kind": "images",
        "setting": {"method": "fade", "network": "mlp"} | setting,
        "seeds": list(seeds),
        "clients": CLIENTS,
        "training": TRAINING | training,
        "privacy": {"delta": 1e-5, "update_clip": 0.1},
        "block": {"head": [], "network": NETWORK, "adversarial_game": GAME | (game or {})},
    }


def job(setting: dict[str, Any], **training) -> Job:
    return from_params(params(setting, **training), axes_by_method())


def inputs(files: dict[str, str]) -> Inputs:
    return Inputs(device=torch.device("cpu"), **{k: Path(v) for k, v in files.items()})


def ready(files: dict[str, str], job_: Job) -> Debiasing:
    return debiasing([job_], grouped_clients(job_, inputs(files)))


def trained(files: dict[str, str], setting: dict[str, Any], **training) -> Debiasing:
    training_run = ready(files, job(setting, **training))
    list(training_run.train())
    return training_run


def run(files: dict[str, str], setting: dict[str, Any], **training) -> list[dict[str, Any]]:
    (outcome,) = train([job(setting, **training)], inputs(files))
    return outcome.repetitions


@pytest.fixture
def files(people: dict[str, str]) -> dict[str, str]:
    return people


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


def test_the_ledger_has_every_message(files):
    training_run = trained(files, PLAIN)
    ledger = training_run.ledgers[0].table().to_pandas().query("seed == 0")
    up, down = (ledger.query(f"direction == '{way}'") for way in ("up", "down"))
    numbers = training_run.networks.flat().shape[1]
    assert up["round"].tolist() == np.repeat(range(1, 13), 2).tolist()
    assert down["round"].tolist() == list(range(1, 13))
    assert set(up["payload_bits"]) == set(down["payload_bits"]) == {32 * numbers}
    assert up["sha256"].notna().all()
    np.testing.assert_array_equal(up["client"], training_run.trials[0].schedule.users.ravel())


def test_parts_are_averaged_over_those_who_trained_them(files):
    """Users of group 1 have no labels here, and half of all decline."""
    setting = {"adversary": "plain", "majority_users": 3, "opt_out": 0.5, "local_steps": 2}
    training_run = ready(
        files, job(setting, seeds=(0,), game={"labelled": [0], "server_momentum": 1.0})
    )
    (trial,) = training_run.trials
    users, schedule, sent = trial.users, trial.schedule, []

    def watched(*arguments: Any) -> torch.Tensor:
        sent.append(arguments[-1].clone())
        return arguments[-1]

    trial.server.sent = watched
    for round_number in range(1, 13):
        before = training_run.networks.flat()[0]
        training_run._round(round_number)
        chosen = schedule.users[round_number - 1]
        # lambda begins at 0
        adversarial = schedule.adversarial[round_number - 1] & (round_number > 1)
        labelled = users.group[chosen] == 0
        counts = np.array([len(users.rows[user]) for user in chosen], dtype=np.float32)
        trained_by = {"encoder": labelled | adversarial, "task": labelled, "group": adversarial}
        sizes = [training_run.networks.sizes[name] for name in trained_by]
        every = (training_run.networks.flat()[0], before, sent[-1])
        parts = zip(*(numbers.split(sizes, dim=-1) for numbers in every), strict=True)
        for who, (after, expected, theirs) in zip(trained_by.values(), parts, strict=True):
            if who.any():
                expected = torch.from_numpy(who * counts / (who * counts).sum()) @ theirs
            torch.testing.assert_close(after, expected)


def test_one_user_a_round_with_the_preset_probability(files):
    training_run = ready(files, job(PLAIN | {"minority_participation": 0.2}, rounds=2000))
    for trial in training_run.trials:
        users, schedule = trial.users, trial.schedule
        assert schedule.users.shape == (2000, 1)
        group = users.group[schedule.users[:, 0]]
        assert abs((group == 0).mean() - 0.2) < 0.04
        counts = np.bincount(schedule.users[:, 0])[users.group == 1]
        assert counts.min() > 0.8 * counts.mean()


def test_bad_users_end_in_a_sentence(files):
    with pytest.raises(UserError, match="has samples of 2 groups"):
        run(files, {"adversary": "plain"})
    with pytest.raises(UserError, match=r"group 1 has \d+ samples for 1000 users"):
        run(files, {"adversary": "plain", "majority_users": 1000})


GROUP_OF_EIGHT = np.repeat([0, 1], 4)
PREDICTED = np.array([0, 1, 1, 1, 0, 0, 1, 0])


def test_equalised_odds_add_up_the_differences_of_both_rates():
    rates = by_group(PREDICTED, np.array([0, 0, 1, 1, 0, 0, 1, 1]), GROUP_OF_EIGHT, 2)
    assert (rates["fpr_0"], rates["fpr_1"]) == (0.5, 0.0)
    assert (rates["fnr_0"], rates["fnr_1"]) == (0.0, 0.5)
    assert rates["delta_eo"] == pytest.approx(1.0)


def test_groups_of_one_class_each_have_no_equalised_odds():
    """Nothing to compare is not fair: one group has no false positives, the other no misses."""
    rates = by_group(PREDICTED, 1 - GROUP_OF_EIGHT, GROUP_OF_EIGHT, 2)
    assert "delta_eo" not in rates
    assert (rates["fnr_0"], rates["fpr_1"]) == (0.25, 0.25)


def test_a_probe_that_has_seen_one_group_takes_all_for_that_group():
    """Of eight rows one is of the other group, which half of the seeds score on."""
    z, group = np.random.default_rng(0).normal(size=(8, 2)), np.array([0] * 7 + [1])
    scores = {linear_probe(z, group, seed) for seed in range(6)}
    assert 0.75 in scores
    assert all(0 <= score <= 1 for score in scores)


def test_masked_sums_change_nothing_but_the_last_digits_and_what_is_seen(files):
    opened, masked = (trained(files, PLAIN | {"aggregation": how}) for how in ("open", "masked"))
    torch.testing.assert_close(opened.networks.flat(), masked.networks.flat(), atol=1e-5, rtol=0)
    assert [trial.server.leaked()["leak"] for trial in opened.trials] == [1.0, 1.0]
    for trial in masked.trials:
        assert trial.server.leaked()["leak"] < 1
    ledger = masked.ledgers[0].table().to_pandas()
    assert {"share", "mask", "weights"} == set(ledger["part"])


def test_nobody_says_which_user_is_in_which_group(files, tmp_path):
    """No store, run file or ledger has groups."""
    job_params = params(PLAIN, seeds=(0, 1, 2))
    run_file, _ = train_setting(files, tmp_path / "run.json", job_params)
    training_run = ready(files, from_params(job_params, axes_by_method()))
    with h5py.File(files["clients"]) as file:
        published: list[str] = []
        file["train/samples"].visit(published.append)
    store = open_store(files["manifest"]).read("train")
    ledger = training_run.ledgers[0]
    list(training_run.train())
    ledger = ledger.table().to_pandas()
    for name in [
        *published,
        *ledger.columns,
        *vars(store),
        *_keys(json.loads(run_file.read_text())),
    ]:
        # Measures over the test set name groups by number; nothing else has the word.
        assert "group" not in name


def test_numbers_of_users_say_nothing(files):
    first = [trial.users.group[0] for trial in ready(files, job(PLAIN, seeds=range(12))).trials]
    assert 0 < sum(first) < 12


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)


GROUP = np.repeat([0, 1], 300)
LABELS = np.tile(np.arange(10), 60)


def test_users_of_the_minority_share_its_samples():
    client = dealt(GROUP, (3, 4), seed=0)
    assert sorted(np.bincount(client).tolist()) == [75] * 4 + [100] * 3
    assert not {*client[GROUP == 0]} & {*client[GROUP == 1]}


@pytest.mark.parametrize("width", [4, 6, 10])
def test_ranges_of_classes_overlap_and_wrap_around(width):
    client = dealt(GROUP, (1, 3), 0, Ranges(LABELS, 10, width))
    assert (client >= 0).all()
    (minority,) = set(client[GROUP == 0].tolist())
    ranges = {
        frozenset(LABELS[client == user].tolist()) for user in {*client.tolist()} - {minority}
    }
    assert ranges == {
        frozenset((first + step) % 10 for step in range(width)) for first in (0, 3, 6)
    }


def test_a_user_without_samples_is_refused():
    with pytest.raises(UserError, match="has no sample of its 1 classes; give more"):
        dealt(GROUP, (1, 3), 0, Ranges(LABELS % 2, 10, 1))


def test_a_round_has_as_many_users_as_the_setting_says(files):
    many, usual, few = (
        ready(files, job(PLAIN | axes)).trials[0]
        for axes in ({"users_per_round": 4}, {}, {"minority_users": 2})
    )
    assert (many.schedule.users.shape, usual.schedule.users.shape) == ((12, 4), (12, 2))
    assert np.bincount(few.users.group).tolist() == [2, 3]
