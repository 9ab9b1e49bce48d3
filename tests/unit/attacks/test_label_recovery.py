import numpy as np
import pytest
from fbftl.attacks.label_recovery import (
    blind_counts,
    recover_labels,
    recover_labels_with_public_data,
    share_recovered,
    whole_counts,
)
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from hypothesis import given, settings
from hypothesis import strategies as st

CLASSES, WIDTH = 10, 32


def client(rng: np.random.Generator, samples: int, scale: float) -> tuple[np.ndarray, ...]:
    """A last layer, a client's labels behind it, and the sum of its gradients."""
    weight = scale * rng.normal(size=(CLASSES, WIDTH)) / np.sqrt(WIDTH)
    bias = 0.1 * scale * rng.normal(size=CLASSES)
    activations = np.maximum(rng.normal(size=(samples, WIDTH)), 0)
    labels = rng.integers(CLASSES, size=samples)
    p = softmax(activations @ weight.T + bias)
    difference = p - np.eye(CLASSES)[labels]
    counts = np.bincount(labels, minlength=CLASSES)
    return difference.T @ activations, difference.sum(axis=0), weight, bias, counts


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10_000), st.floats(0.01, 5))
def test_one_sample_is_always_recovered_for_certain(seed, scale):
    *sent, counts = client(np.random.default_rng(seed), 1, scale)
    recovered = recover_labels(*sent, 1)
    assert recovered.certain
    assert recovered.counts.tolist() == counts.tolist()


@pytest.mark.parametrize("samples", [1, 2, 4, 8])
def test_small_batches_on_an_untrained_head_are_recovered_for_certain(samples):
    """The probabilities are near 1/N, so they add up to less than one over K < N samples."""
    rng = stream(0, "test", samples)
    for _ in range(100):
        *sent, counts = client(rng, samples, 0.05)
        recovered = recover_labels(*sent, samples)
        assert recovered.certain
        assert recovered.counts.tolist() == counts.tolist()


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 10_000), st.integers(1, 40), st.floats(0.01, 5))
def test_what_is_certain_is_true_and_counts_add_up(seed, samples, scale):
    *sent, counts = client(np.random.default_rng(seed), samples, scale)
    recovered = recover_labels(*sent, samples)
    assert recovered.counts.sum() == samples
    assert (recovered.counts >= 0).all()
    if recovered.certain:
        assert recovered.counts.tolist() == counts.tolist()


def test_estimates_beat_the_blind_guess_on_a_confident_head():
    rng = stream(1, "test")
    shares = []
    for _ in range(100):
        *sent, counts = client(rng, 8, 1.0)
        found = recover_labels(*sent, 8).counts
        shares.append(
            (share_recovered(found, counts), share_recovered(blind_counts(10, 8), counts))
        )
    recovered, blind = np.mean(shares, axis=0)
    assert recovered > 0.9 > blind + 0.2


def test_public_data_settle_a_large_batch_when_they_are_like_the_clients():
    """With the batch's own mean probabilities, K p - g are the counts exactly."""
    rng = stream(2, "test")
    weight_gradient, bias_gradient, _, _, counts = client(rng, 500, 1.0)
    mean = (bias_gradient + counts) / 500
    found = recover_labels_with_public_data(weight_gradient, bias_gradient, mean, 500)
    assert found.counts.tolist() == counts.tolist()
    assert not found.certain


def test_noise_that_breaks_the_bounds_leaves_an_estimate():
    rng = stream(3, "test")
    weight_gradient, bias_gradient, weight, bias, _ = client(rng, 4, 1.0)
    noisy = bias_gradient + 50 * rng.normal(size=CLASSES)
    recovered = recover_labels(weight_gradient, noisy, weight, bias, 4)
    assert not recovered.certain
    assert recovered.counts.sum() == 4


def test_rounding_keeps_bounds_and_sum():
    counts = whole_counts(np.array([0.4, 2.5, 1.1]), np.array([1, 0, 0]), 4)
    assert counts.tolist() == [1, 2, 1]


def test_the_blind_guess_is_balanced():
    assert blind_counts(4, 10).tolist() == [3, 3, 2, 2]
    assert share_recovered(blind_counts(4, 10), [10, 0, 0, 0]) == pytest.approx(0.3)


def test_gradients_of_a_diverged_run_are_refused():
    weight_gradient, bias_gradient, weight, bias, _ = client(stream(4, "test"), 2, 1.0)
    bias_gradient[0] = np.inf
    with pytest.raises(UserError, match="diverged"):
        recover_labels(weight_gradient, bias_gradient, weight, bias, 2)
