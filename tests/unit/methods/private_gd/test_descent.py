"""Clipped gradients equal the loop over samples; noisy descent is the update that is printed."""

import math

import numpy as np
import pytest
import torch
from fbftl.methods.private_gd.descent import (
    Descent,
    OwnSamples,
    clipped_sums,
    descend,
    logits_of,
    norm_for,
    outputs_for,
)
from fbftl.models.heads import losses as cross_entropies
from fbftl.models.heads import stacked

CPU = torch.device("cpu")
WIDTH, SAMPLES = 5, 14


def toy(classes: int, hidden: list[int], seeds: list[int]):
    """Return stacked heads, and inputs and labels of samples that differ by head."""
    draws = torch.Generator().manual_seed(classes + len(hidden))
    x = 2 * torch.randn(len(seeds), SAMPLES, WIDTH, generator=draws)
    labels = torch.randint(classes, (len(seeds), SAMPLES), generator=draws)
    return stacked([WIDTH, *hidden, outputs_for(classes)], seeds, CPU), x, labels


def one_by_one(head, x, labels, clip):
    """Return the clipped sums by autograd, a sample at a time."""
    sums = [torch.zeros_like(parameter) for parameter in head.parameters()]
    norms = []
    for index in range(len(head)):
        alone = head.at(slice(index, index + 1))
        for row in range(SAMPLES):
            logits = logits_of(alone(x[index, row][None, None]))
            loss = cross_entropies(logits, labels[index, row][None, None]).sum()
            gradients = torch.autograd.grad(loss, alone.parameters())
            norms.append(math.sqrt(sum(float(g.square().sum()) for g in gradients)))
            for total, gradient in zip(sums, gradients, strict=True):
                total[index] += gradient[0] * min(1.0, clip / max(norms[-1], 1e-30))
    return sums, norms


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("hidden", [[], [7], [6, 4]])
@pytest.mark.parametrize("clip", [1.5, math.inf])
def test_clipped_gradients_are_those_of_a_loop_over_samples(classes, hidden, clip):
    head, x, labels = toy(classes, hidden, [0, 1, 2])
    expected, norms = one_by_one(head, x, labels, clip)
    assert clip == math.inf or min(norms) < clip < max(norms)
    _, sums = clipped_sums(head, x, labels, clip)
    for clipped_sum, expected_sum in zip(sums, expected, strict=True):
        assert torch.allclose(clipped_sum, expected_sum, atol=1e-5)


@pytest.mark.parametrize("classes", [2, 5])
def test_no_gradient_of_a_linear_head_exceeds_the_clip_norm_of_its_inputs(classes):
    clip = 3.0
    head, x, labels = toy(classes, [], [0, 1])
    x *= norm_for(clip, outputs_for(classes)) / x.norm(dim=-1, keepdim=True)
    head.weights[0].data *= 50  # as wrong as can be: errors near their bound
    _, norms = one_by_one(head, x, labels, clip)
    assert 0.9 * clip < max(norms) <= clip * (1 + 1e-6)
    assert norm_for(0.9, 1) is None


def initial_head(seeds):
    return stacked([WIDTH, 4, 1], seeds, CPU)


def trained(seeds, noise, rows=None, **values):
    """Return heads and losses after descent on the toy samples."""
    _, x, labels = toy(2, [4], [0])
    samples = OwnSamples(x[0], labels[0], rows or [np.arange(SAMPLES)] * len(seeds))
    multipliers = np.repeat(np.array(noise, dtype=float)[:, None], len(seeds), axis=1)
    plan = Descent(multipliers, **({"clip": 1.0, "learning_rate": 0.5} | values))
    done = descend(initial_head, samples, seeds, plan)
    return done.head, done.losses


def flat(head):
    return torch.cat([parameter.flatten(1) for parameter in head.parameters()], dim=1).detach()


@pytest.mark.parametrize("beta", [0.0, 0.6])
def test_steps_follow_the_printed_momentum(beta):
    """m_{t+1} = [beta (1 - beta^(t-1)) m_t + (1 - beta) g_t] / (1 - beta^t), Eq. (2.3)."""
    _, x, labels = toy(2, [4], [3])
    theta, m = initial_head([3]), None
    for t in range(1, 5):
        _, sums = clipped_sums(theta, x, labels, 1.0)
        g = [total / SAMPLES for total in sums]
        m = [
            (beta * (1 - beta ** (t - 1)) * old + (1 - beta) * new) / (1 - beta**t)
            for old, new in zip(m or g, g, strict=True)
        ]
        for parameter, step in zip(theta.parameters(), m, strict=True):
            parameter.data -= 0.5 * step
    samples = OwnSamples(x[0], labels[0], [np.arange(SAMPLES)])
    plan = Descent(np.zeros((4, 1)), 1.0, 0.5, beta)
    done = descend(initial_head, samples, [3], plan)
    trained_head, losses = done.head, done.losses
    assert torch.allclose(flat(trained_head), flat(theta), atol=1e-6)
    assert losses.shape == (5, 1)
    assert losses[-1, 0] < losses[0, 0]


def test_seeds_train_stacked_as_they_do_alone_and_a_longer_schedule_draws_the_same(monkeypatch):
    rows = [np.arange(10), np.arange(4, SAMPLES), np.arange(3)]
    together, losses = trained([0, 1, 2], [1.0, 2.0, 0.5], rows)
    for index, client_rows in enumerate(rows):
        alone, loss = trained([index], [1.0, 2.0, 0.5], [client_rows])
        assert torch.allclose(flat(alone), flat(together)[index : index + 1], atol=1e-6)
        assert loss[:, 0] == pytest.approx(losses[:, index], abs=1e-6)
    monkeypatch.setattr("fbftl.methods.private_gd.descent.VALUES_AT_ONCE", 1)
    apart, _ = trained([0, 1, 2], [1.0, 2.0, 0.5], rows)
    assert torch.allclose(flat(apart), flat(together), atol=1e-6)
    _, longer = trained([0, 1, 2], [1.0, 2.0, 0.5, 9.0], rows)
    assert longer[:4] == pytest.approx(losses, abs=1e-6)
