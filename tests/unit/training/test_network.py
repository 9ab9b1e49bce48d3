"""Whole networks: FL equals SFL whatever their layers, no client reaches another, evaluation."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.methods.sfl import SplitNetwork
from fbftl.models.chain import Chain
from fbftl.models.networks import build
from fbftl.training.batches import Round, Rounds, laid_out, rounds
from fbftl.training.network import TrainedNetwork, evaluate
from fbftl.training.samples import ClientByClient, LabelledInputs, Passes, ReadSamples, passes_of
from torch import Tensor, nn
from unit.exchange import test_repetition as engine
from unit.exchange.test_repetition import TRAINING, all_arrive, even_arrive, training_data

CLIENTS = [np.arange(a, b) for a, b in [(0, 4), (4, 10), (10, 13), (13, 20), (20, 24)]]
MODES = [(True, "frozen"), (False, "batch"), (True, "batch")]
PLAIN = (False, "frozen")


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return build(Chain((8, 8, 1), 3, [12], [[4], [6]], norm="batch", dropout=0.4)).eval()


def cut(model: nn.Sequential, name: str) -> tuple[nn.Sequential, nn.Sequential]:
    at = [layer for layer, _ in model.named_children()].index(name) + 1
    return model[:at], model[at:]


def passes_in(mode: tuple[bool, str], *models: nn.Module, seed: int = 0) -> Passes:
    dropout, batch_norm = mode
    return passes_of(replace(TRAINING, dropout=dropout, batch_norm=batch_norm), seed, *models)


def schedule() -> list[Rounds]:
    return list(rounds(CLIENTS, 3, 3, seed=0))


def learner(mode: tuple[bool, str], *parts: nn.Module, seed: int = 0) -> TrainedNetwork:
    """A whole network, or one in two parts."""
    passes = passes_in(mode, *parts, seed=seed)
    kind = TrainedNetwork if len(parts) == 1 else SplitNetwork
    return kind(*parts, training_data(), passes)


def train(learner_: TrainedNetwork, arrivals=all_arrive) -> nn.Module:
    engine.together(learner_, arrivals, schedule())
    return learner_.model


def values(model: nn.Module) -> Tensor:
    return nn.utils.parameters_to_vector(model.parameters()).detach()


def one_round(clients: list[np.ndarray], index: int = 0) -> Round:
    return next(laid_out([np.arange(len(clients))], clients).single(index))


@pytest.mark.parametrize("at", ["relu1_1", "norm2_1", "pool2", "drop_fc1"])
@pytest.mark.parametrize("mode", [PLAIN, *MODES])
def test_sfl_equals_fl_to_the_last_bit(mode, at):
    whole = train(learner(mode, network()))
    split = train(learner(mode, *cut(network(), at)))
    assert torch.equal(values(whole), values(split))
    assert not torch.equal(values(whole), values(network()))


@pytest.mark.parametrize("arrivals", [all_arrive, even_arrive])
@pytest.mark.parametrize("mode", [PLAIN, *MODES])
def test_single_updates_average_to_the_batch_gradient(mode, arrivals):
    plain, single = network(), network()
    train(learner(mode, plain), arrivals)
    engine.apart(learner(mode, single), arrivals, schedule())
    torch.testing.assert_close(values(plain), values(single), atol=1e-5, rtol=1e-4)


def updates(mode: tuple[bool, str], round_: Round, seed: int = 0) -> np.ndarray:
    _, client_updates_ = learner(mode, network(), seed=seed).client_gradients(round_)
    return client_updates_.numpy()


@pytest.mark.parametrize("mode", MODES)
def test_a_clients_update_depends_on_no_other_client(mode):
    """Neither on who else takes part nor on the padding that their sizes bring."""
    alone, among = one_round(CLIENTS[:1]), one_round([CLIENTS[0], np.arange(4, 24)])
    np.testing.assert_array_equal(updates(mode, alone)[0], updates(mode, among)[0])


@pytest.mark.parametrize("mode", MODES)
def test_a_client_alone_has_the_masks_that_it_has_in_its_round(mode):
    round_ = one_round([CLIENTS[1], CLIENTS[0], np.arange(4, 24)], index=3)
    message = learner(mode, network()).client_message(round_.only(1))
    np.testing.assert_array_equal(message, updates(mode, round_)[1])


def test_masks_come_from_seed_round_and_client():
    mode, first = (True, "frozen"), one_round([CLIENTS[0], CLIENTS[0]])
    first_updates = updates(mode, first)
    assert not np.array_equal(first_updates[0], first_updates[1])
    np.testing.assert_array_equal(first_updates, updates(mode, first))
    assert not np.array_equal(first_updates, updates(mode, first, seed=1))
    assert not np.array_equal(first_updates, updates(mode, replace(first, index=1)))


def test_training_leaves_torchs_generator_and_the_models_mode_alone():
    model = network()
    torch.manual_seed(7)
    wanted = torch.rand(3)
    torch.manual_seed(7)
    train(learner((True, "frozen"), model))
    assert torch.equal(torch.rand(3), wanted)
    assert not any(module.training for module in model.modules())


def test_one_sample_has_no_statistics():
    round_, everyone = one_round([CLIENTS[0], CLIENTS[0][:1]]), np.ones(2, dtype=bool)
    with pytest.raises(UserError, match=r"client 1 has one sample in a round.*at least 2"):
        learner((False, "batch"), network()).mean_gradient(round_, everyone)
    learner((True, "frozen"), network()).mean_gradient(round_, everyone)
    held_out = replace(training_data(), validation=np.arange(1))
    with pytest.raises(UserError, match="a domain has one test or held-out sample"):
        TrainedNetwork(normed := network(), held_out, passes_in((False, "batch"), normed))
    TrainedNetwork(network(), held_out)


def test_clients_of_one_sample_have_masks_of_their_own_in_one_pass():
    """DP-SGD's samples: without dropout each update is its own pass's, under it masks differ."""
    singles = [np.array([row]) for row in (0, 5, 5, 5)]
    model = build(Chain((8, 8, 1), 3, [12], [[4], [6]], dropout=0.4)).eval()
    round_ = one_round(singles)
    alone = TrainedNetwork(model, training_data(), ClientByClient(0, (model,), dropout=False))
    _, expected = alone._updates_apart(alone.batch(round_))
    assert torch.allclose(alone.client_gradients(round_)[1], expected, atol=1e-6)
    assert torch.equal(expected[1], expected[2])
    dropping = TrainedNetwork(model, training_data(), passes_in((True, "frozen"), model))
    _, dropped = dropping.client_gradients(round_)
    assert torch.equal(dropped, dropping.client_gradients(round_)[1])
    assert not torch.equal(dropped[1], dropped[2])
    assert not model.training


def test_answers_are_in_the_order_of_the_samples_where_domains_go_through_apart():
    logits = torch.eye(3)[torch.tensor([0, 1, 2, 0, 1])]
    labels, domain = torch.tensor([0, 1, 2, 1, 0]), np.array([1, 0, 1, 0, 1])
    tested = evaluate(lambda x: x, LabelledInputs(logits, labels, domain), np.arange(5))
    assert tested.right.tolist() == [True, True, True, False, False]
    assert tested.accuracy == 0.6


def test_rows_of_the_task_are_evaluated_where_only_some_of_them_were_read():
    read = LabelledInputs(torch.eye(2)[[0, 1, 0]], torch.tensor([0, 1, 1]))
    tested = evaluate(lambda x: x, ReadSamples(read, np.array([3, 40, 500])), np.array([40, 500]))
    assert tested.right.tolist() == [True, False]
