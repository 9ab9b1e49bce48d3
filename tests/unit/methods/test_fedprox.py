"""FedProx, which holds local training near the round's model."""

import pytest
import torch
from fbftl.methods import fedprox
from fbftl.methods.fedavg.run import run as run_fedavg
from unit.methods.fedfeat.test_retraining import PLAIN, job


@pytest.mark.parametrize("network", PLAIN)
@pytest.mark.parametrize("axes", [{"plr": 0.4, "local_epochs": 2}, {"bits": 4, "keep": 0.5}])
def test_fedprox_without_its_term_is_fedavg_to_the_bit(digits, network, axes):
    outcome = fedprox.run(job({"method": "fedprox"} | axes, network), digits)
    wanted = run_fedavg(job({"method": "fedavg"} | axes, network), digits)
    assert outcome.repetitions[0]["series"] == wanted.repetitions[0]["series"]
    ledgers = [each.ledger.table().drop_columns("method") for each in (outcome, wanted)]
    assert ledgers[0].equals(ledgers[1])


def test_fedprox_adds_its_weight_times_the_way_from_the_rounds_model(digits, monkeypatch):
    monkeypatch.setattr(fedprox, "local_network", lambda _, __, hooks: hooks)
    monkeypatch.setattr(fedprox, "run_rounds", lambda _, __, begin, *___: begin(None))
    hooks = fedprox.run(job({"method": "fedprox", "proximal": 5.0}), digits)
    gradient, weights, start = torch.tensor([[1.0, 2.0], [3.0, 4.0], [2.0, 7.0]])
    pulled = hooks.gradients(None, gradient, weights, start)
    assert pulled.tolist() == [1 + 5 * (3 - 2), 2 + 5 * (4 - 7)]
