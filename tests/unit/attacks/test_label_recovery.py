"""Labels recovered from gradients, and what messages tell of single samples."""

import numpy as np
import pytest
from fbftl.attacks.label_recovery import (
    EXACT,
    Calibration,
    blind_counts,
    calibrate,
    errors,
    guesses,
    recover_labels,
    root_of_rank_one,
    share_recovered,
)
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.messages.statistics import Statistics
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

CLASSES, WIDTH = 10, 32


def layer(rng: np.random.Generator, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """A last layer, the more confident the larger its scale."""
    weight = scale * rng.normal(size=(CLASSES, WIDTH)) / np.sqrt(WIDTH)
    return weight, 0.1 * scale * rng.normal(size=CLASSES)


def client(
    rng: np.random.Generator, samples: int, weight: np.ndarray, bias: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sum of a client's gradients, of weight and of bias, and the labels behind it."""
    activations = np.maximum(rng.normal(size=(samples, WIDTH)), 0)
    labels = rng.integers(CLASSES, size=samples)
    p = softmax(activations @ weight.T + bias, axis=1)
    difference = p - np.eye(CLASSES)[labels]
    counts = np.bincount(labels, minlength=CLASSES)
    return difference.T @ activations, difference.sum(axis=0), counts


NOTHING = Calibration(np.full(CLASSES, 0.1), 0.0)


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.floats(0.01, 5))
def test_one_sample_is_always_recovered_for_certain(seed, scale):
    rng = np.random.default_rng(seed)
    *sent, counts = client(rng, 1, *layer(rng, scale))
    assert recover_labels(*sent, NOTHING, 1).tolist() == counts.tolist()


@pytest.mark.parametrize("samples", [2, 8])
def test_small_batches_on_an_untrained_head_are_recovered_for_certain(samples):
    """The probabilities are near 1/N, so they add up to less than one over K < N samples."""
    rng = stream(0, "test", samples)
    for _ in range(100):
        *sent, counts = client(rng, samples, *layer(rng, 0.05))
        assert recover_labels(*sent, NOTHING, samples).tolist() == counts.tolist()


def shares(rng: np.random.Generator, samples: int, noise: float = 0.0) -> tuple[float, float]:
    """Mean shares of labels that are recovered, and that the blind guess has right."""
    last = layer(rng, 1.0)

    def seen() -> tuple[np.ndarray, ...]:
        rows, bias, counts = client(rng, samples, *last)
        return rows, bias + noise * rng.normal(size=CLASSES), counts

    updates = [seen() for _ in range(200)]
    calibration = calibrate([g for _, g, _ in updates], [n for *_, n in updates])
    blind = blind_counts(CLASSES, samples)
    recovered, guessed = [], []
    for *sent, counts in (seen() for _ in range(100)):
        labels = recover_labels(*sent, calibration, samples, noise > 0)
        recovered.append(share_recovered(labels, counts))
        guessed.append(share_recovered(blind, counts))
    return float(np.mean(recovered)), float(np.mean(guessed))


@pytest.mark.parametrize("samples", [8, 100])
def test_public_samples_settle_nearly_every_label(samples):
    recovered, blind = shares(stream(1, "test", samples), samples)
    assert recovered > 0.95 > blind


@pytest.mark.parametrize("noise", [3.0, 1000.0])
def test_under_noise_no_estimate_is_worse_than_the_blind_guess(noise):
    recovered, blind = shares(stream(2, "test"), 100, noise)
    assert recovered > blind - 0.01


def test_without_noise_a_count_falls_by_one_per_unit_of_gradient():
    rng = stream(3, "test")
    last = layer(rng, 0.1)
    updates = [client(rng, 50, *last) for _ in range(200)]
    calibration = calibrate([g for _, g, _ in updates], [n for *_, n in updates])
    assert calibration.slope == pytest.approx(-1, abs=0.02)


def test_the_blind_guess_is_balanced():
    assert blind_counts(4, 10).tolist() == [3, 3, 2, 2]
    assert share_recovered(blind_counts(4, 10), [10, 0, 0, 0]) == pytest.approx(0.3)


def test_gradients_of_a_diverged_run_are_refused():
    rng = stream(4, "test")
    weight_gradient, bias_gradient, _ = client(rng, 2, *layer(rng, 1.0))
    bias_gradient[0] = np.inf
    with pytest.raises(UserError, match="diverged"):
        recover_labels(weight_gradient, bias_gradient, NOTHING, 2)


THREE_CLASSES = 3


def samples() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return features, labels and clients of four samples: the first client's classes differ."""
    values = np.random.default_rng(0).normal(size=(40, 6)).astype(np.float32)
    return values, np.arange(40) % THREE_CLASSES, np.arange(40) // 4


def test_means_tell_the_samples_that_are_alone_in_their_class():
    values, labels, client = samples()
    exact = errors(guesses("means", values, labels, client, THREE_CLASSES), values) < EXACT
    pairs = client * THREE_CLASSES + labels
    assert (exact == (np.bincount(pairs)[pairs] == 1)).all()
    assert 0 < exact.mean() < 1
    alone = errors(guesses("means", values, labels, np.arange(40), THREE_CLASSES), values)
    assert (alone < EXACT).all()


def test_a_sum_tells_class_means_over_all_clients():
    values, labels, client = samples()
    guess = guesses("sum", values, labels, client, THREE_CLASSES)
    for label in range(THREE_CLASSES):
        assert guess[labels == label] == pytest.approx(
            np.tile(values[labels == label].mean(axis=0), ((labels == label).sum(), 1)), abs=1e-6
        )


def test_second_moments_of_one_sample_are_its_square():
    row = np.abs(samples()[0][:1]).astype(np.float64)
    scatter = Statistics.of(row, np.array([0]), THREE_CLASSES).scatter
    assert root_of_rank_one(scatter) == pytest.approx(row[0])
    assert (root_of_rank_one(np.zeros((3, 3))) == 0).all()
