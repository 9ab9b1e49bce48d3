"""Local epochs: plain training at each client, by hand, stacked and one by one."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.methods.eppfl.activations import Boundary, Crossing
from fbftl.models.modes import normalise_by_batch
from fbftl.models.stack import Clip
from fbftl.training import local
from fbftl.training.local import one_by_one, train_clients
from fbftl.training.local_updates import Hooks, LocalPlan, LocalUpdate, SplitModel, mini_batches
from fbftl.training.optimisers import ANNEALING, OPTIMISERS
from torch import nn
from torch.nn import functional
from torch.optim.lr_scheduler import CosineAnnealingLR, MultiStepLR
from unit.training.training_toys import convolutional, dense, samples, training, updates

TRAINING = training()
PLAN = LocalPlan(epochs=3, batch=4, training=TRAINING)
LOCAL_UPDATES = updates([0, 10, 20, 26, 30])


def normalised() -> SplitModel:
    torch.manual_seed(0)
    front = nn.Sequential(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.MaxPool2d(2))
    rest = nn.Sequential(
        nn.Flatten(), nn.Linear(12, 5), nn.BatchNorm1d(5), nn.ReLU(), nn.Linear(5, 4)
    )
    for half in (front, rest):
        normalise_by_batch(half)
    return SplitModel(front.eval(), rest.eval())


def flat(split_model: SplitModel) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in split_model.parameters])


def by_torch(
    split_model: SplitModel, local_update: LocalUpdate, plan: LocalPlan, optimiser
) -> torch.Tensor:
    """Train a network in place as people write it; return its weights."""
    inputs, labels = samples().inputs, samples().labels
    stepper = optimiser(split_model.whole.parameters())
    for _, rows in mini_batches(local_update, plan):
        loss = functional.cross_entropy(split_model.whole(inputs[rows]), labels[rows])
        stepper.zero_grad()
        loss.backward()
        stepper.step()
    return flat(split_model)


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.05, momentum=0.9, weight_decay=5e-4, fused=True)


@pytest.mark.parametrize("network", [dense, convolutional])
def test_one_client_trains_as_torch_trains_to_the_bit(network):
    trained = train_clients(network(), samples(), LOCAL_UPDATES[:1], PLAN)
    assert torch.equal(trained.weights[0], by_torch(network(), LOCAL_UPDATES[0], PLAN, sgd))


@pytest.fixture
def stacked_only(monkeypatch):
    """Refuse training one by one, except by the name that this file has for it."""
    monkeypatch.setattr(local, "one_by_one", None)


@pytest.mark.parametrize("name", OPTIMISERS)
@pytest.mark.parametrize("batch", [4, None])
@pytest.mark.usefixtures("stacked_only")
def test_a_stack_trains_as_its_clients_alone(name, batch):
    plan = replace(PLAN, optimiser=name, batch=batch)
    together = train_clients(dense(), samples(), LOCAL_UPDATES, plan)
    alone = one_by_one(dense(), samples(), LOCAL_UPDATES, plan)
    torch.testing.assert_close(together.weights, alone.weights, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(together.losses, alone.losses)


@pytest.mark.parametrize("batch", [5, None])
@pytest.mark.usefixtures("stacked_only")
def test_stacked_convolutions_normalise_by_their_own_batches(batch):
    """Batches of 4, 6 and 10 fill up to the longest beside them."""
    plan = replace(PLAN, batch=batch)
    together = train_clients(normalised(), samples(), LOCAL_UPDATES, plan)
    alone = one_by_one(normalised(), samples(), LOCAL_UPDATES, plan)
    torch.testing.assert_close(together.weights, alone.weights, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(together.losses, alone.losses)


CROSSING = Crossing(keep_activations=0.5, keep_gradients=0.5, kept_gradients="random", epsilon=5.0)


@pytest.mark.parametrize("batch", [4, None])
@pytest.mark.parametrize("crossing", [None, CROSSING, replace(CROSSING, reading="code")])
@pytest.mark.parametrize("crossed", ["maps", "flattened", "units"])
@pytest.mark.usefixtures("stacked_only")
def test_stacked_networks_cross_the_boundary_as_alone(batch, crossing, crossed):
    """Each client draws as if nobody else were there, whatever fills its neighbours' batches."""
    plan, collected = replace(PLAN, batch=batch), {}

    def hooks(way: str) -> Hooks:
        cross = (lambda features, _: features) if crossing is None else Boundary(crossing, 3)

        def boundary(features, mini_batch):
            key = (mini_batch.local_update.client, mini_batch.epoch, tuple(mini_batch.rows))
            passed = cross(features, mini_batch)
            collected.setdefault(way, {})[key] = passed.detach()
            return passed

        return Hooks(boundary=boundary)

    def network() -> SplitModel:
        if crossed == "units":
            return dense()
        split_model = convolutional()
        if crossed == "maps":
            maps, flatten = split_model.front[:-1], split_model.front[-1]
            return SplitModel(
                nn.Sequential(maps, Clip(0.5)), nn.Sequential(flatten, *split_model.rest)
            )
        return SplitModel(nn.Sequential(split_model.front, Clip(0.5)), split_model.rest)

    alone = one_by_one(network(), samples(), LOCAL_UPDATES, plan, hooks("alone"))
    together = train_clients(network(), samples(), LOCAL_UPDATES, plan, hooks("together"))
    torch.testing.assert_close(together.weights, alone.weights, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(together.losses, alone.losses)
    assert collected["together"].keys() == collected["alone"].keys()
    for key, passed in collected["together"].items():
        torch.testing.assert_close(passed, collected["alone"][key], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("network", [dense, convolutional])
def test_the_global_weights_stay_as_they_were(network):
    split_model = network()
    before = flat(split_model)
    trained = train_clients(split_model, samples(), LOCAL_UPDATES, PLAN)
    assert torch.equal(flat(split_model), before)
    assert not any(torch.equal(weights, before) for weights in trained.weights)


def test_every_epoch_goes_through_all_samples_in_a_new_order():
    batches = list(mini_batches(LOCAL_UPDATES[0], PLAN))
    assert [len(rows) for _, rows in batches] == [4, 4, 2] * 3
    epochs = [np.concatenate([r for e, r in batches if e == n]) for n in (1, 2, 3)]
    assert all(sorted(epoch) == list(range(10)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 3
    later = mini_batches(replace(LOCAL_UPDATES[0], round_number=3), PLAN)
    assert any(a.tolist() != b.tolist() for (_, a), (_, b) in zip(batches, later, strict=True))


def test_a_rest_too_small_joins_the_batch_before_it():
    nine = LocalUpdate(7, 1, 0, np.arange(9))
    assert [len(rows) for _, rows in mini_batches(nine, PLAN, least=2)] == [4, 5] * 3
    assert [len(rows) for _, rows in mini_batches(nine, PLAN)] == [4, 4, 1] * 3


def test_a_boundary_changes_what_passes_both_ways():
    """Blocked, the first half learns nothing; passed on, nothing changes to the bit."""
    blocked = Hooks(boundary=lambda features, _: features.detach() + 0 * features)
    kept = train_clients(convolutional(), samples(), LOCAL_UPDATES[:1], DECAYLESS, blocked)
    front = sum(parameter.numel() for parameter in convolutional().front.parameters())
    before = flat(convolutional())
    assert torch.equal(kept.weights[0, :front], before[:front])
    assert not torch.equal(kept.weights[0, front:], before[front:])
    same = Hooks(boundary=lambda features, _: features)
    plain = train_clients(convolutional(), samples(), LOCAL_UPDATES[:1], PLAN)
    through = train_clients(convolutional(), samples(), LOCAL_UPDATES[:1], PLAN, same)
    assert torch.equal(plain.weights, through.weights)


DECAYLESS = replace(PLAN, training=replace(TRAINING, weight_decay=0.0))


def test_another_loss_and_another_rate_are_used():
    halved = replace(PLAN, training=replace(TRAINING, learning_rate=0.025))
    wanted = train_clients(dense(), samples(), LOCAL_UPDATES, halved)
    by_round = Hooks(rate=lambda round_number: 1 / round_number)
    trained = train_clients(dense(), samples(), LOCAL_UPDATES, PLAN, by_round)
    assert torch.equal(trained.weights, wanted.weights)
    nothing = Hooks(loss=lambda logits, labels: 0 * logits.sum(1))
    still = train_clients(dense(), samples(), LOCAL_UPDATES, DECAYLESS, nothing)
    torch.testing.assert_close(still.weights, flat(dense()).expand(4, -1))


def test_dropout_is_a_clients_own_and_repeats():
    plan = replace(PLAN, training=replace(TRAINING, dropout=True))
    first = train_clients(convolutional(0.5), samples(), LOCAL_UPDATES, plan)
    second = train_clients(convolutional(0.5), samples(), LOCAL_UPDATES[::-1], plan)
    assert torch.equal(first.weights, second.weights.flip(0))
    without = train_clients(convolutional(0.5), samples(), LOCAL_UPDATES, PLAN)
    assert not torch.allclose(first.weights, without.weights)


def test_a_batch_of_one_has_no_statistics():
    split_model = SplitModel(nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)), dense().rest)
    split_model = SplitModel(split_model.front, nn.Sequential(nn.Flatten(), nn.Linear(32, 4)))
    normalise_by_batch(split_model.front)
    update_of_one = LocalUpdate(7, 1, 5, np.arange(1))
    with pytest.raises(UserError, match="client 5 has a mini-batch of one sample"):
        train_clients(split_model, samples(), [update_of_one], PLAN)
    update_of_five = LocalUpdate(7, 1, 5, np.arange(5))
    assert train_clients(split_model, samples(), [update_of_five], PLAN).weights.isfinite().all()


def rates_of_torch(schedule, rounds: int) -> list[float]:
    """Return the rate of each round by a scheduler of torch's, at a first rate of 1."""
    optimiser = torch.optim.SGD([torch.zeros(1)], lr=1.0)
    scheduler, rates = schedule(optimiser), []
    for _ in range(rounds):
        rates.append(scheduler.get_last_lr()[0])
        optimiser.step()
        scheduler.step()
    return rates


def test_rates_fall_as_those_of_torch():
    """The public script of Split-Mix has 150 and 250 of 400 rounds (paper thesis, App. C.1)."""
    schedules = {
        "cosine": lambda optimiser: CosineAnnealingLR(optimiser, 400),
        "steps": lambda optimiser: MultiStepLR(optimiser, [150, 250], gamma=0.1),
    }
    assert set(schedules) == set(ANNEALING)
    for name, schedule in schedules.items():
        factor = ANNEALING[name](400)
        ours = [factor(round_number) for round_number in range(1, 401)]
        assert ours == pytest.approx(rates_of_torch(schedule, 400), rel=1e-9, abs=1e-12), name
