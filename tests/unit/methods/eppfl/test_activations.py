"""What crosses the boundary of a split network: how much is kept, which, and under what noise."""

import numpy as np
import pytest
import torch
from fbftl.methods.eppfl.activations import Boundary, Crossing, magnitude_mask, random_mask
from fbftl.training.local_updates import LocalUpdate, MiniBatch

BATCH, CHANNELS, SIDE = 5, 3, 6
MAPS = (BATCH, CHANNELS, SIDE, SIDE)


def crossed(crossing: Crossing, features: torch.Tensor, gradient: torch.Tensor | None = None):
    """Return what an edge server is given, and what comes back of its gradient."""
    leaf = features.clone().requires_grad_()
    mini_batch = MiniBatch(LocalUpdate(2, 1, 4, np.arange(BATCH)), 1, True, np.arange(BATCH))
    boundary = Boundary(crossing, seed=2)
    sent = boundary(leaf, mini_batch)
    incoming = torch.ones(features.shape) if gradient is None else gradient
    (back,) = torch.autograd.grad(sent, leaf, incoming)
    return sent.detach(), back, boundary


@pytest.fixture
def features() -> torch.Tensor:
    return torch.rand(MAPS, generator=torch.Generator().manual_seed(0)) + 0.5


def test_every_channel_of_a_sample_keeps_its_share_and_gradients_of_it_alone(features):
    sent, back, _ = crossed(Crossing(keep_activations=0.3), features)
    kept = sent != 0
    assert kept.flatten(2).sum(2).eq(11).all()  # ⌈0.3 · 36⌉
    assert torch.equal(sent[kept], features[kept])
    assert torch.equal(back != 0, kept)
    assert len({tuple(pattern.tolist()) for pattern in kept.flatten(2).flatten(0, 1)}) > 10


@pytest.mark.parametrize("kept", ["large", "small", "random"])
def test_gradients_are_selected_by_magnitude_in_every_channel(features, kept):
    gradient = torch.randn(MAPS, generator=torch.Generator().manual_seed(1))
    _, back, _ = crossed(Crossing(keep_gradients=0.5, kept_gradients=kept), features, gradient)
    rows, came = gradient.flatten(2).abs(), back.flatten(2) != 0
    assert came.sum(2).eq(18).all()
    least = rows.where(came, torch.inf).amin(2)
    most = rows.where(came, 0).amax(2)
    if kept == "large":
        assert (least >= rows.where(~came, 0).amax(2)).all()
    elif kept == "small":
        assert (most <= rows.where(~came, torch.inf).amin(2)).all()


def test_a_channels_maximum_scales_its_own_noise():
    quiet = torch.ones(300, 2, 8, 8)
    quiet[:, 0] *= 10
    quiet[:, :, 0] = 0
    mini_batch = MiniBatch(LocalUpdate(2, 1, 0, np.arange(300)), 1, True, np.arange(300))
    for reading in ("paper", "code"):
        crossing = Crossing(keep_activations=0.99, reading=reading, epsilon=5.0)
        sent = Boundary(crossing, 0)(quiet, mini_batch)
        loud, soft = (float(sent[:, channel, 0].abs().mean()) for channel in (0, 1))
        assert loud == pytest.approx(10 / 5, rel=0.05)
        assert soft == pytest.approx(1 / 5, rel=0.05)
    silent = Boundary(Crossing(epsilon=1.0), 0)(torch.zeros(3, 2, 4, 4), mini_batch)
    assert not silent.any()


def test_the_public_code_drops_from_the_batch_and_adds_noise_to_what_it_drops(features):
    plain = Crossing(
        keep_activations=0.5, keep_gradients=0.5, kept_gradients="small", reading="code"
    )
    gradient = torch.randn(MAPS, generator=torch.Generator().manual_seed(1))
    sent, back, _ = crossed(plain, features, gradient)
    assert int((sent != 0).sum()) == BATCH * CHANNELS * SIDE**2 // 2
    assert len(set((sent != 0).flatten(2).sum(2).flatten().tolist())) > 1
    came = back != 0
    assert gradient[came].abs().max() <= gradient.abs().flatten().median() + 1e-6
    noisy, _, _ = crossed(Crossing(keep_activations=0.5, reading="code", epsilon=1.0), features)
    assert noisy.ne(0).all()


@pytest.mark.parametrize("width", [37, 5000])
def test_every_place_is_kept_as_often_as_any_other(width):
    rows = 4000 if width == 37 else 200
    kept = random_mask(torch.empty(rows, width), width // 4, torch.Generator().manual_seed(0))
    assert kept.sum(1).eq(width // 4).all()
    share = (width // 4) / width
    deviations = (kept.sum(0) - rows * share) / np.sqrt(rows * share * (1 - share))
    # Places that exclude each other: a sum of squares of mean width - 1.
    squares = float(deviations.square().sum())
    assert abs(squares - (width - 1)) < 4 * np.sqrt(2 * width)
    halves = kept.double().view(rows, -1)[:, : 2 * (width // 2)].view(rows, 2, -1).sum(2).mean(0)
    assert float(halves[0] / halves[1]) == pytest.approx(1, abs=0.02)


def test_of_equal_values_no_more_are_sent_than_counted():
    rows = torch.tensor([[2.0, 2.0, 2.0, 1.0], [0.0, 0.0, 3.0, 0.0], [1.0, 4.0, -3.0, 2.0]])
    sent = rows * magnitude_mask(rows, 2, largest=True)
    assert sent.count_nonzero(1).tolist() == [2, 1, 2]
    assert sent[2].tolist() == [0, 4, -3, 0]
    sent = rows * magnitude_mask(rows, 2, largest=False)
    assert sent[2].tolist() == [1, 0, 0, 2]
    assert magnitude_mask(rows, 4, largest=False).all()
