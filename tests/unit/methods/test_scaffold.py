"""SCAFFOLD, which holds local training near the common way."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from fbftl.methods import scaffold
from fbftl.methods.fedavg.run import run as run_fedavg
from fbftl.training.local import train_clients
from fbftl.training.local_updates import Hooks, LocalPlan, LocalUpdate, SplitModel
from fbftl.training.samples import LabelledInputs
from torch import nn
from unit.methods.test_fedfeat_runs import job
from unit.training.training_toys import training

# --- what they equal --------------------------------------------------------------------------


def test_scaffold_of_one_client_is_fedavg_to_the_bit(digits):
    """Its control is the common one, so that nothing is corrected."""
    axes, few = {"clients": 1, "local_epochs": 2}, {"clients_per_round": 1, "rounds": 3}
    outcome = scaffold.run(job({"method": "scaffold"} | axes, **few), digits)
    wanted = run_fedavg(job({"method": "fedavg"} | axes, **few), digits)
    assert outcome.repetitions[0]["series"] == wanted.repetitions[0]["series"]


# --- by hand ----------------------------------------------------------------------------------

LEAST, CURVATURE = torch.tensor([0.0, 4.0]), torch.tensor([1.0, 2.0])
"""Two clients' losses a/2 (x - m)^2 of one number x, the bias of a layer whose input is 0."""


class Scalar:
    """A number that two clients train in two steps of rate 1/2 from 0."""

    def __init__(self, gradients) -> None:
        layer = nn.Linear(1, 1)
        nn.init.zeros_(layer.weight)
        nn.init.zeros_(layer.bias)
        self.split_model = SplitModel(nn.Sequential(layer), nn.Sequential())
        values = training(learning_rate=0.5, momentum=0.0, weight_decay=0.0)
        self.plan = LocalPlan(2, None, values)
        self.hooks = Hooks(loss=self.squared, gradients=gradients)

    @staticmethod
    def squared(outputs, labels):
        return CURVATURE[labels] / 2 * (outputs[:, 0] - LEAST[labels]) ** 2

    def round(self, round_number: int, shares=(0.5, 0.5)) -> tuple[list[float], float]:
        """Return what each client has after a round, and their average, which is kept."""
        samples = LabelledInputs(torch.zeros(2, 1), torch.arange(2))
        local_updates = [
            LocalUpdate(0, round_number, client, np.array([client])) for client in range(2)
        ]
        weights = train_clients(
            self.split_model, samples, local_updates, self.plan, self.hooks
        ).weights
        average = weights[:, 1] @ torch.tensor(shares)
        with torch.no_grad():
            self.split_model.parameters[1].fill_(average)
        return weights[:, 1].tolist(), float(average)


def test_two_rounds_of_scaffold_on_quadratics_by_hand():
    """Round 1: 0, 0 and 4, 4, so that c_1 = 0, c_2 = (-8 + 0)/2 = -4, x = 2, c = -2.

    Round 2: client 1 steps with 2 - 0 - 2 = 0 twice; client 2 with -4 + 4 - 2 = -2 to 3, and there
    with -2 + 4 - 2 = 0. So c_1 = 2, c_2 = (-4 - 2)/2 = -3, x = 2.5, c = -1/2.
    """
    controls = scaffold.Controls()
    controls.reset(SimpleNamespace(clients=[[0], [1]]))
    everyone = SimpleNamespace(clients=np.arange(2), counts=np.ones(2, dtype=int))
    scalar, arrives = Scalar(controls.corrected), np.ones(2, dtype=bool)

    assert scalar.round(1) == ([0.0, 4.0], 2.0)
    assert controls.change(1)[1] == -4
    controls.server().after(None, everyone, arrives)
    assert controls.common[1] == -2

    assert scalar.round(2) == ([2.0, 3.0], 2.5)
    controls.server().after(None, everyone, arrives)
    assert [float(controls.clients[client][1]) for client in range(2)] == [2, -3]
    assert controls.common[1] == -0.5

    for round_number in range(3, 60):
        _, x = scalar.round(round_number)
        controls.server().after(None, everyone, arrives)
    assert x == pytest.approx(8 / 3)  # where the sum of both losses is least


def test_scaffold_of_unequal_clients_ends_where_the_loss_of_all_samples_is_least():
    """x²/2 once and (x - 4)² three times: x + 6 (x - 4) = 0. Alike, they would end at 8/3."""
    controls = scaffold.Controls()
    controls.reset(SimpleNamespace(clients=[[0], [1, 2, 3]]))
    everyone = SimpleNamespace(clients=np.arange(2), counts=np.array([1, 3]))
    scalar = Scalar(controls.corrected)
    for round_number in range(1, 80):
        _, x = scalar.round(round_number, (0.25, 0.75))
        controls.server().after(None, everyone, np.ones(2, dtype=bool))
    assert x == pytest.approx(24 / 7)


def test_a_lost_message_changes_no_control():
    controls = scaffold.Controls()
    controls.reset(SimpleNamespace(clients=[[0], [1]]))
    everyone = SimpleNamespace(clients=np.arange(2), counts=np.ones(2, dtype=int))
    Scalar(controls.corrected).round(1)
    controls.server().after(None, everyone, np.array([True, False]))
    assert list(controls.clients) == [0]
    assert controls.common[1] == controls.clients[0][1] / 2


# --- what is sent -----------------------------------------------------------------------------


def test_scaffold_sends_twice_what_fedavg_sends_both_ways(digits):
    axes = {"plr": 0.3}
    tables = [
        run_method(job({"method": name} | axes), digits).ledger.table().to_pandas()
        for name, run_method in (("scaffold", scaffold.run), ("fedavg", run_fedavg))
    ]
    for direction in ("up", "down"):
        sent, plain = (t[t.direction == direction] for t in tables)
        assert sent.payload_bits.sum() == 2 * plain.payload_bits.sum()
        assert set(sent.part) == {"weights", "control"}
    up = tables[0][tables[0].direction == "up"]
    by_message = up.groupby(["round", "client"])[["payload_bits", "bits"]].sum()
    assert (by_message.bits > by_message.payload_bits).all()
    assert (up[(up["round"] == 1) & (up.part == "weights")].encoded == "made").all()
