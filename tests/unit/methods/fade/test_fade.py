"""FADE in whole runs: what is sent, who takes part, whose parts are averaged, its tasks."""

from typing import Any

import numpy as np
import pytest
import torch
from fbftl.ground.errors import UserError
from unit.methods.fade.fade_toys import PLAIN, job, ready, run, trained


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
