"""What changes gradients changes them alike in every engine of local training."""

from dataclasses import replace

import pytest
import torch
from fbftl.training.local import one_by_one, train_clients
from fbftl.training.local_updates import Hooks, LocalPlan, cross_entropies, flattened
from torch.nn.utils import vector_to_parameters
from unit.training.training_toys import convolutional, dense, samples, training, updates

TRAINING = training(learning_rate=0.25, momentum=0.0, weight_decay=0.0)
PLAN = LocalPlan(epochs=3, batch=4, training=TRAINING)
LOCAL_UPDATES = updates([0, 8, 16, 21])


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
            gradient = flattened(torch.autograd.grad(loss, split_model.parameters))
            stepped = now - rate * (gradient + mu * (now - start))
            vector_to_parameters(stepped, split_model.parameters)
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
