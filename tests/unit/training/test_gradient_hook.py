"""What changes gradients changes them alike in every engine of local training."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from fbftl.study.job import Training
from fbftl.training.local import one_by_one, train_clients
from fbftl.training.local_updates import (
    Hooks,
    LocalPlan,
    LocalUpdate,
    SplitModel,
    cross_entropies,
    flattened,
)
from fbftl.training.samples import LabelledInputs
from torch import nn

TRAINING = Training(
    epochs=1, batch=1, clients_per_round=3, learning_rate=0.25, momentum=0.0, weight_decay=0.0,
    validation=0.0, selection="last",
)  # fmt: skip
PLAN = LocalPlan(epochs=3, batch=4, training=TRAINING)
ROWS = [np.arange(0, 8), np.arange(8, 16), np.arange(16, 21)]
LOCAL_UPDATES = [LocalUpdate(7, 2, client, rows) for client, rows in enumerate(ROWS)]


def samples() -> LabelledInputs:
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(21, 1, 6, 6, generator=generator)
    return LabelledInputs(inputs, torch.randint(0, 4, (21,), generator=generator))


def dense() -> SplitModel:
    torch.manual_seed(0)
    front = nn.Sequential(nn.Flatten(), nn.Linear(36, 16), nn.ReLU())
    return SplitModel(front.eval(), nn.Sequential(nn.Linear(16, 4)).eval())


def convolutional() -> SplitModel:
    torch.manual_seed(0)
    front = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
    return SplitModel(front.eval(), nn.Sequential(nn.Linear(12, 4)).eval())


def proximal(mu: float) -> Hooks:
    return Hooks(gradients=lambda _, gradient, weights, start: gradient + mu * (weights - start))


@pytest.mark.parametrize("engine", [train_clients, one_by_one])
@pytest.mark.parametrize("network", [dense, convolutional])
def test_two_steps_under_a_proximal_term_are_those_by_hand(network, engine):
    """x - h g(x), then x - h g(x) minus h (g + mu (y - x)), with torch's own gradients."""
    plan, mu, rate = replace(PLAN, epochs=2, batch=None), 3.0, TRAINING.learning_rate
    trained = engine(network(), samples(), LOCAL_UPDATES[:2], plan, proximal(mu)).weights
    for local_update, weights in zip(LOCAL_UPDATES, trained, strict=False):
        split_model, data = network(), samples().at(local_update.rows)
        start = flattened(split_model.parameters)
        for _ in range(2):
            loss = cross_entropies(split_model.whole(data.inputs), data.labels).mean()
            now = flattened(split_model.parameters)
            pull = (mu * (now - start)).split(
                [parameter.numel() for parameter in split_model.parameters]
            )
            gradients = torch.autograd.grad(loss, split_model.parameters)
            with torch.no_grad():
                for parameter, gradient, back in zip(
                    split_model.parameters, gradients, pull, strict=True
                ):
                    parameter -= rate * (gradient + back.view_as(parameter))
        torch.testing.assert_close(weights, flattened(split_model.parameters), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("engine", [train_clients, one_by_one])
@pytest.mark.parametrize("network", [dense, convolutional])
def test_a_hook_is_called_once_a_step_with_its_visit(network, engine):
    calls = []

    def counted(local_update, gradient, weights, start):
        calls.append((local_update.client, torch.equal(weights, start)))
        return gradient

    plain = engine(network(), samples(), LOCAL_UPDATES, PLAN)
    hooked = engine(network(), samples(), LOCAL_UPDATES, PLAN, Hooks(gradients=counted))
    assert torch.equal(hooked.weights, plain.weights)
    assert sorted(calls) == sorted(
        (update.client, step == 0) for update in LOCAL_UPDATES for step in range(PLAN.epochs * 2)
    )


@pytest.mark.parametrize("network", [dense, convolutional])
def test_a_loss_that_reads_the_weights_is_refused_where_networks_are_stacked(network):
    split_model = network()

    def regularised(logits, labels):
        return cross_entropies(logits, labels) + sum(
            (parameter**2).sum() for parameter in split_model.parameters
        )

    with pytest.raises(ValueError, match=r"Hooks\(gradients"):
        train_clients(split_model, samples(), LOCAL_UPDATES, PLAN, Hooks(loss=regularised))
