"""Local epochs: plain training at each client, by hand, stacked and one by one."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.models.clip import Clip
from fbftl.models.dense import dense_shape
from fbftl.models.modes import normalise_by_batch
from fbftl.study.job import Training
from fbftl.training import local
from fbftl.training.boundary import Boundary, Crossing
from fbftl.training.local import one_by_one, train_clients
from fbftl.training.network import LabelledInputs
from fbftl.training.visits import Halves, Hooks, LocalPlan, Visit, mini_batches
from torch import nn
from torch.nn import functional

TRAINING = Training(
    epochs=1, batch=1, clients_per_round=3, learning_rate=0.05, momentum=0.9, weight_decay=5e-4,
    validation=0.0, selection="last",
)  # fmt: skip
PLAN = LocalPlan(epochs=3, batch=4, training=TRAINING)
ROWS = [np.arange(0, 10), np.arange(10, 20), np.arange(20, 26), np.arange(26, 30)]
VISITS = [Visit(7, 2, client, rows) for client, rows in enumerate(ROWS)]


def samples() -> LabelledInputs:
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(30, 1, 6, 6, generator=generator)
    return LabelledInputs(inputs, torch.randint(0, 4, (30,), generator=generator))


def dense() -> Halves:
    torch.manual_seed(0)
    front = nn.Sequential(nn.Flatten(), nn.Linear(36, 16), nn.ReLU())
    return Halves(front.eval(), nn.Sequential(nn.Linear(16, 4)).eval())


def convolutional(dropout: float = 0.0) -> Halves:
    torch.manual_seed(0)
    front = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
    rest = nn.Sequential(nn.Dropout(dropout), nn.Linear(12, 4))
    return Halves(front.eval(), rest.eval())


def flat(halves: Halves) -> torch.Tensor:
    return torch.cat([own.detach().flatten() for own in halves.parameters])


def by_torch(halves: Halves, visit: Visit, plan: LocalPlan, optimiser) -> torch.Tensor:
    """Train a network in place as people write it; return its weights."""
    inputs, labels = samples().inputs, samples().labels
    stepper = optimiser(halves.whole.parameters())
    for _, rows in mini_batches(visit, plan):
        loss = functional.cross_entropy(halves.whole(inputs[rows]), labels[rows])
        stepper.zero_grad()
        loss.backward()
        stepper.step()
    return flat(halves)


def sgd(own):
    return torch.optim.SGD(own, lr=0.05, momentum=0.9, weight_decay=5e-4, fused=True)


@pytest.mark.parametrize("network", [dense, convolutional])
def test_one_client_trains_as_torch_trains_to_the_bit(network):
    trained = train_clients(network(), samples(), VISITS[:1], PLAN)
    assert torch.equal(trained.weights[0], by_torch(network(), VISITS[0], PLAN, sgd))


@pytest.mark.parametrize(
    ("name", "optimiser"),
    [
        ("adam", lambda own: torch.optim.Adam(own, lr=0.05, weight_decay=5e-4, fused=True)),
        ("adadelta", lambda own: torch.optim.Adadelta(own, lr=0.05, weight_decay=5e-4)),
    ],
)
def test_other_optimisers_are_torchs(name, optimiser):
    plan = replace(PLAN, optimiser=name)
    trained = train_clients(convolutional(), samples(), VISITS[:2], plan)
    for place, visit in enumerate(VISITS[:2]):
        wanted = by_torch(convolutional(), visit, plan, optimiser)
        torch.testing.assert_close(trained.weights[place], wanted)


@pytest.mark.parametrize("name", ["sgd", "adam", "adadelta"])
@pytest.mark.parametrize("batch", [4, None])
def test_a_stack_trains_as_its_clients_alone(name, batch):
    plan = replace(PLAN, optimiser=name, batch=batch)
    together = train_clients(dense(), samples(), VISITS, plan)
    alone = one_by_one(dense(), samples(), VISITS, plan)
    torch.testing.assert_close(together.weights, alone.weights, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(together.losses, alone.losses)


CROSSING = Crossing(keep_activations=0.5, keep_gradients=0.5, kept_gradients="random", epsilon=5.0)


@pytest.mark.parametrize("batch", [4, None])
@pytest.mark.parametrize("crossing", [None, CROSSING, replace(CROSSING, reading="code")])
@pytest.mark.parametrize("before_flatten", [True, False])
def test_stacked_convolutions_cross_the_boundary_as_alone(batch, crossing, before_flatten):
    """Each client draws as if nobody else were there, whatever fills its neighbours' batches."""
    plan, heard = replace(PLAN, batch=batch), {}

    def hooks(way: str) -> Hooks:
        def collect(moment, features, labels):
            key = (moment.visit.client, moment.epoch, tuple(moment.rows))
            heard.setdefault(way, {})[key] = features, labels

        return Hooks(boundary=None if crossing is None else Boundary(crossing, 3), collect=collect)

    def network() -> Halves:
        halves = convolutional()
        if before_flatten:
            maps, flatten = halves.front[:-1], halves.front[-1]
            return Halves(nn.Sequential(maps, Clip(0.5)), nn.Sequential(flatten, *halves.rest))
        return Halves(nn.Sequential(halves.front, Clip(0.5)), halves.rest)

    alone = one_by_one(network(), samples(), VISITS, plan, hooks("alone"))
    together = train_clients(network(), samples(), VISITS, plan, hooks("together"))
    torch.testing.assert_close(together.weights, alone.weights, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(together.losses, alone.losses)
    assert heard["together"].keys() == heard["alone"].keys()
    for key, told in heard["together"].items():
        torch.testing.assert_close(told, heard["alone"][key], rtol=1e-4, atol=1e-5)


def test_networks_are_stacked_where_it_pays(monkeypatch):
    seen = []
    monkeypatch.setattr(local, "one_by_one", lambda *_: seen.append("alone"))
    train_clients(dense(), samples(), VISITS, PLAN)
    train_clients(convolutional(), samples(), VISITS, PLAN)
    train_clients(convolutional(), samples(), VISITS, PLAN, Hooks(collect=lambda *_: None))
    assert not seen
    train_clients(dense(), samples(), VISITS, PLAN, Hooks(collect=lambda *_: None))
    train_clients(convolutional(), samples(), VISITS[:1], PLAN)
    dropping = replace(PLAN, training=replace(TRAINING, dropout=True))
    train_clients(convolutional(), samples(), VISITS, dropping)
    large = LabelledInputs(torch.zeros(30, 1, 9, 8), samples().labels)
    train_clients(convolutional(), large, VISITS, PLAN)
    assert len(seen) == 4


@pytest.mark.parametrize("network", [dense, convolutional])
def test_the_global_weights_stay_and_every_client_starts_from_them(network):
    halves = network()
    before = flat(halves)
    trained = train_clients(halves, samples(), VISITS, PLAN)
    assert torch.equal(flat(halves), before)
    alone = [train_clients(network(), samples(), [visit], PLAN) for visit in VISITS]
    for place, one in enumerate(alone):
        torch.testing.assert_close(trained.weights[place], one.weights[0], rtol=1e-4, atol=1e-6)
        assert not torch.equal(one.weights[0], before)


def test_every_epoch_goes_through_all_samples_in_a_new_order():
    drawn = list(mini_batches(VISITS[0], PLAN))
    assert [len(rows) for _, rows in drawn] == [4, 4, 2] * 3
    epochs = [np.concatenate([r for e, r in drawn if e == n]) for n in (1, 2, 3)]
    assert all(sorted(own) == sorted(ROWS[0]) for own in epochs)
    assert len({tuple(own) for own in epochs}) == 3
    later = mini_batches(replace(VISITS[0], turn=3), PLAN)
    assert any(a.tolist() != b.tolist() for (_, a), (_, b) in zip(drawn, later, strict=True))


def test_a_rest_too_small_joins_the_batch_before_it():
    nine = Visit(7, 1, 0, np.arange(9))
    assert [len(rows) for _, rows in mini_batches(nine, PLAN, least=2)] == [4, 5] * 3
    assert [len(rows) for _, rows in mini_batches(nine, PLAN)] == [4, 4, 1] * 3


def test_a_boundary_changes_what_passes_both_ways():
    """Blocked, the first half learns nothing; passed on, nothing changes to the bit."""
    blocked = Hooks(boundary=lambda features, _: features.detach() + 0 * features)
    kept = train_clients(convolutional(), samples(), VISITS[:1], DECAYLESS, blocked)
    front = sum(own.numel() for own in convolutional().front.parameters())
    before = flat(convolutional())
    assert torch.equal(kept.weights[0, :front], before[:front])
    assert not torch.equal(kept.weights[0, front:], before[front:])
    same = Hooks(boundary=lambda features, _: features)
    plain = train_clients(convolutional(), samples(), VISITS[:1], PLAN)
    through = train_clients(convolutional(), samples(), VISITS[:1], PLAN, same)
    assert torch.equal(plain.weights, through.weights)


DECAYLESS = replace(PLAN, training=replace(TRAINING, weight_decay=0.0))


def test_what_passes_the_boundary_in_the_last_epoch_is_collected_once_each():
    kept = []

    def collect(moment, features, labels):
        if moment.last:
            kept.append((moment.visit.client, moment.rows, features, labels))

    noise = Hooks(boundary=lambda features, _: features + 1, collect=collect)
    train_clients(convolutional(), samples(), VISITS, PLAN, noise)
    rows = np.concatenate([own for _, own, _, _ in kept])
    assert sorted(rows) == list(range(30))
    assert not any(features.requires_grad for _, _, features, _ in kept)
    assert torch.equal(torch.cat([own for *_, own in kept]), samples().labels[rows])
    assert min(features.min() for _, _, features, _ in kept) >= 1  # ReLU, and one


def test_another_loss_and_another_rate_are_used():
    halved = replace(PLAN, training=replace(TRAINING, learning_rate=0.025))
    wanted = train_clients(dense(), samples(), VISITS, halved)
    by_round = Hooks(rate=lambda turn: 1 / turn)
    found = train_clients(dense(), samples(), VISITS, PLAN, by_round)
    assert torch.equal(found.weights, wanted.weights)
    nothing = Hooks(loss=lambda logits, labels: 0 * logits.sum(1))
    still = train_clients(dense(), samples(), VISITS, DECAYLESS, nothing)
    torch.testing.assert_close(still.weights, flat(dense()).expand(4, -1))


def test_dropout_is_a_clients_own_and_repeats():
    plan = replace(PLAN, training=replace(TRAINING, dropout=True))
    one = train_clients(convolutional(0.5), samples(), VISITS, plan)
    two = train_clients(convolutional(0.5), samples(), VISITS[::-1], plan)
    assert torch.equal(one.weights, two.weights.flip(0))
    without = train_clients(convolutional(0.5), samples(), VISITS, PLAN)
    assert not torch.allclose(one.weights, without.weights)


def test_a_batch_of_one_has_no_statistics():
    halves = Halves(nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)), dense().rest)
    halves = Halves(halves.front, nn.Sequential(nn.Flatten(), nn.Linear(32, 4)))
    normalise_by_batch(halves.front)
    one = Visit(7, 1, 5, ROWS[0][:1])
    with pytest.raises(UserError, match="client 5 has a mini-batch of one sample"):
        train_clients(halves, samples(), [one], PLAN)
    five = Visit(7, 1, 5, ROWS[0][:5])
    assert train_clients(halves, samples(), [five], PLAN).weights.isfinite().all()


@pytest.mark.parametrize(
    ("model", "stacks"),
    [
        (nn.Sequential(nn.Flatten(), nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2)), True),
        (nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5)), True),
        (nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2)), False),
        (nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2)), False),
        (nn.Sequential(nn.Linear(4, 3, bias=False)), False),
        (nn.Sequential(nn.Linear(4, 3), nn.ReLU()), False),
        (nn.Sequential(nn.Flatten()), False),
    ],
)
def test_which_networks_stack(model, stacks):
    assert (dense_shape(model) is not None) == stacks
