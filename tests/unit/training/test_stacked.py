"""The lockstep trainer: equal to one plain model per seed, and honest about divergence."""

import numpy as np
import pytest
import torch
from fbftl.models.heads import layers, stacked
from fbftl.training.batches import shuffled
from fbftl.training.curves import (
    RIGHT,
    Curves,
    first_epoch_at,
    packed,
    record,
    selected_epoch,
    unpacked,
)
from fbftl.training.stacked import StackedSamples, answers, mean_losses, train
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from unit.training.training_toys import training

TRAINING = training(epochs=3, batch=16, validation=0.1, selection="validation")
WIDTHS = [6, 5, 3]
SHARED = torch.tensor([0, 0])
"""Both heads work with the one release."""


def problem(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    values = torch.randn(count, WIDTHS[0], generator=torch.Generator().manual_seed(0))
    return values, (values[:, :3].argmax(1))


def plain_model(seed: int) -> torch.nn.Sequential:
    modules: list[torch.nn.Module] = []
    for weight, bias in layers(WIDTHS, seed):
        linear = torch.nn.Linear(*weight.shape)
        linear.weight.data, linear.bias.data = weight.T.clone(), bias.clone()
        modules += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*modules[:-1])


def test_lockstep_equals_one_plain_model_per_seed():
    values, labels = problem(50)
    seeds = [0, 5]
    rows = [np.arange(50), np.arange(10, 20)]
    head = stacked(WIDTHS, seeds, torch.device("cpu"))
    samples = StackedSamples(values[None], labels[None], SHARED)
    none = [torch.arange(0)] * 2
    schedule = list(shuffled(rows, 16, 4, 3, seeds))
    curves = train(head, schedule, lambda _: samples, none, samples, TRAINING)
    for s, seed in enumerate(seeds):
        model = plain_model(seed)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
        for epoch in schedule:
            for chosen, weights in zip(epoch.rows[:, s], epoch.weights[:, s], strict=True):
                used = torch.from_numpy(chosen[weights > 0])
                loss = torch.nn.functional.cross_entropy(model(values[used]), labels[used])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        linears = [m for m in model if isinstance(m, torch.nn.Linear)]
        for m, linear in enumerate(linears):
            assert torch.allclose(head.weights[m][s], linear.weight.T, atol=1e-6)
            assert torch.allclose(head.biases[m][s, 0], linear.bias, atol=1e-6)
        accuracy = (model(values).argmax(1) == labels).float().mean().item()
        assert curves[s].test[-1] == pytest.approx(accuracy)


def test_a_diverged_seed_is_marked_and_leaves_the_others_alone():
    values, labels = problem(40)
    both = torch.stack([values, values])
    both[0, 0] = torch.inf
    rows = [np.arange(40)] * 2
    schedule = list(shuffled(rows, 16, 3, 2, [0, 0]))
    test = StackedSamples(values[None], labels[None], SHARED)
    head = stacked(WIDTHS, [0, 0], torch.device("cpu"))
    samples = StackedSamples(both, labels.expand(2, -1), torch.arange(2))
    curves = train(head, schedule, lambda _: samples, [torch.arange(0)] * 2, test, TRAINING)
    assert record(curves[0], "last")["diverged"] is True
    assert record(curves[0], "last")["test_accuracy"] == 0
    assert curves[1].diverged is False
    assert curves[1].test[-1] == answers(head, test)[1].mean() > 0


def test_selection_rules():
    curves = Curves()
    for validation, loss, test in [
        (0.5, 2.0, 0.4),
        (0.9, 1.0, 0.7),
        (0.9, 0.5, 0.6),
        (0.8, 0, 0.9),
    ]:
        curves.append(1.0, validation, loss, test, "")
    assert selected_epoch(curves, "validation") == 3
    assert selected_epoch(curves, "test") == 4
    assert selected_epoch(curves, "last") == 4
    assert record(curves, "validation")["test_accuracy"] == 0.6


def test_without_a_validation_split_the_last_epoch_counts():
    curves = Curves()
    for test in (0.9, 0.1):
        curves.append(1.0, None, None, test, "")
    assert selected_epoch(curves, "validation") == 2


def test_first_epoch_at_an_accuracy():
    assert first_epoch_at([0.1, 0.6, 0.5, 0.7], 0.6) == 2
    assert first_epoch_at([0.1, 0.2], 0.6) is None


@pytest.mark.parametrize("heads", [1, 2, 3, 8])
@pytest.mark.parametrize("steps", [3, 20, 57, 600])
def test_a_mean_loss_is_equal_to_the_bit_whatever_other_heads_train(heads, steps):
    torch.manual_seed(steps)
    weighted = torch.rand(steps, heads, 64)
    alone = [mean_losses(part) for part in weighted.split(1, dim=1)]
    assert torch.equal(mean_losses(weighted), torch.cat(alone))


@given(arrays.arrays(bool, st.integers(1, 70)))
def test_a_text_has_every_answer(right):
    assert unpacked(packed(right)).tolist() == right.tolist()


def test_ten_thousand_answers_take_little_more_than_a_bit_each():
    right = np.random.default_rng(0).random(10_000) < 0.5
    assert len(packed(right)) < 1.1 * 10_000 / 8 * 4 / 3


@pytest.mark.parametrize("text", ["", "9", "x:", "9:AAAA", "9:!", packed(np.ones(9, bool))[:-4]])
def test_what_is_no_such_text_is_refused(text):
    with pytest.raises(ValueError, match="right answers are damaged"):
        unpacked(text)


def followed(*epochs: tuple[float, float, list[bool]]) -> Curves:
    """Return curves of epochs, each of a loss, a validation accuracy and right answers."""
    curves = Curves()
    for loss, validation, right in epochs:
        curves.append(loss, validation, loss, np.mean(right).item(), "", np.array(right))
    return curves


def test_a_record_has_the_answers_of_the_epoch_that_it_chose():
    curves = followed((1.0, 0.9, [True, False, True]), (0.5, 0.8, [False, False, True]))
    assert unpacked(record(curves, "validation")[RIGHT]).tolist() == [True, False, True]
    assert unpacked(record(curves, "last")[RIGHT]).tolist() == [False, False, True]


def test_of_what_has_diverged_no_answer_is_right():
    found = record(followed((np.nan, 0.9, [True, True])), "last")
    assert found["test_accuracy"] == 0
    assert not unpacked(found[RIGHT]).any()


def test_where_several_models_answer_nothing_is_said():
    curves = Curves()
    curves.append(1.0, None, None, 0.5, "")
    assert RIGHT not in record(curves, "last")
