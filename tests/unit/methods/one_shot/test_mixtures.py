"""Mixtures: fitted by EM, as long as told, of as many components as wanted; noised Gaussians."""

import numpy as np
import pytest
from fbftl.messages.codec import Compression
from fbftl.methods.one_shot.messages.mixtures import (
    Fitting,
    GaussiansMessage,
    Mixture,
    MixturesMessage,
    held_out_count,
)
from fbftl.privacy.statistics import sensitivity
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.mixture import GaussianMixture

DIAGONAL, SPHERICAL = Fitting(1e-3), Fitting(1e-3, spherical=True)
WIDTH, CLASSES = 3, 4


def blob(count: int, centre: float = 0.0, seed: int = 0) -> np.ndarray:
    """Return normal samples around a point of equal coordinates."""
    return centre + np.random.default_rng(seed).standard_normal((count, WIDTH))


def two_blobs(count: int) -> np.ndarray:
    """Return samples of two blobs far from each other, half of each."""
    return np.concatenate([blob(count // 2, -20, 1), blob(count - count // 2, 20, 2)])


def message(*components: int, fitting: Fitting = SPHERICAL, least: int = 1) -> MixturesMessage:
    return MixturesMessage(CLASSES, WIDTH, components, fitting, least, seed=0)


def test_one_component_is_mean_and_variance_with_a_floor():
    """Variances 1 and 0 below a floor of 0.25; spherical, their mean 0.5."""
    rows, rng = np.array([[1.0, 2.0], [3.0, 2.0]]), np.random.default_rng(0)
    assert np.allclose(Fitting(0.25).fitted(rows, 1, rng).rows(), [[1, 2, 2, 1, 0.25]])
    assert np.allclose(Fitting(0.25, True).fitted(rows, 1, rng).rows(), [[1, 2, 2, 0.5]])
    assert np.allclose(Fitting(0.75, True).fitted(rows, 1, rng).rows(), [[1, 2, 2, 0.75]])
    equal = Fitting(0.25).fitted(np.repeat([[0.0, 0.0], [40.0, 40.0]], 2, axis=0), 2, rng)
    assert (equal.variances == 0.25).all()


def test_spherical_components_have_one_variance_each():
    """Two pairs 40 apart: (0, 0), (2, 0) has variances 1 and 0; (40, 40), (40, 48) has 0 and 16."""
    rows = np.array([[0.0, 0.0], [2.0, 0.0], [40.0, 40.0], [40.0, 48.0]])
    mixture = Fitting(1e-3, True).fitted(rows, 2, np.random.default_rng(3))
    order = np.argsort(mixture.means[:, 0])
    assert np.allclose(mixture.rows()[order], [[0.5, 1, 0, 0.5], [0.5, 40, 44, 8]])
    again = Mixture.of_rows(mixture.rows(), 2)
    assert again.variances.shape == (2, 1)
    samples = again.draw(20_000, np.random.default_rng(4))
    low = samples[samples[:, 0] < 20]
    assert np.allclose(low.var(axis=0), 0.5, atol=0.05)


def test_a_mixtures_likelihood_is_that_of_its_density():
    """At 0 under a quarter of N(0, 4 I) and the rest of N((0, 2), I) in two dimensions, alone."""
    apart = Mixture(np.array([0.25, 0.75]), np.array([[0.0, 0], [0, 2]]), np.array([[4.0], [1]]))
    expected = np.log(0.25 / (8 * np.pi) + 0.75 * np.exp(-2) / (2 * np.pi))
    assert apart.log_likelihood(np.zeros((3, 2))) == pytest.approx(expected)
    wide = Mixture(np.array([1.0]), np.zeros((1, 2)), np.array([[4.0, 1.0]]))
    expected = -np.log(4 * np.pi) - 1 / 8 - 9 / 2
    assert wide.log_likelihood(np.array([[1.0, 3.0]])) == pytest.approx(expected)


@pytest.mark.parametrize("components", [1, 4])
@pytest.mark.parametrize("fitting", [DIAGONAL, SPHERICAL])
def test_a_mixture_is_as_likely_as_scikit_learns(fitting, components):
    rows = np.abs(np.random.default_rng(0).standard_normal((80, 40))) + np.arange(80)[:, None] % 7
    state = int(np.random.default_rng(1).integers(2**31))
    kind = "spherical" if fitting.spherical else "diag"
    theirs = GaussianMixture(components, covariance_type=kind, reg_covar=1e-3, random_state=state)
    ours = fitting.fitted(rows, components, np.random.default_rng(1))
    assert ours.log_likelihood(rows) == pytest.approx(theirs.fit(rows).score(rows), abs=0.1)


@pytest.mark.parametrize("fitting", [DIAGONAL, SPHERICAL])
def test_two_far_blobs_choose_two_components_and_one_blob_one(fitting):
    values = np.concatenate([two_blobs(60), blob(60, seed=3)])
    mixtures_message, labels = message(1, 2, fitting=fitting), np.repeat([0, 3], 60)
    assert mixtures_message.sizes(0, values, labels) == {0: 2, 3: 1}
    summary = mixtures_message.summary(0, values, labels)
    assert summary.tables[0].labels.tolist() == [0, 0, 3]
    assert summary.counts.tolist() == [60, 60]
    # Fitted again to all sixty: the mean of the one component is that of all of them.
    assert np.allclose(summary.tables[0].rows[2, 1 : 1 + WIDTH], values[60:].mean(axis=0))


def test_few_samples_take_the_fewest_components():
    """Of three samples one is held out, and two have a mixture of one component alone."""
    assert [held_out_count(count) for count in (1, 4, 5, 9, 10, 60)] == [1, 1, 1, 1, 2, 12]
    values, labels = two_blobs(3), np.zeros(3, dtype=int)
    assert message(1, 2).sizes(0, values, labels) == {0: 1}


def test_spherical_classes_with_at_most_so_many_samples_as_components_are_not_sent():
    labels = np.repeat([0, 1, 2], [1, 2, 5])
    values = blob(8)
    assert message(1).sizes(0, values, labels) == {1: 1, 2: 1}
    assert message(2).sizes(0, values, labels) == {2: 2}
    assert message(5).summary(0, values, labels) is None
    # Two samples behind each of two components: four at least.
    assert message(2, least=2).sizes(0, values, labels) == {2: 2}
    assert message(2, least=3).sizes(0, values, labels) == {}
    assert message(5, fitting=DIAGONAL).sizes(0, values, labels) == {0: 1, 1: 2, 2: 5}
    assert message(5, fitting=DIAGONAL, least=2).sizes(0, values, labels) == {1: 1, 2: 2}


@pytest.mark.parametrize(("fitting", "width"), [(DIAGONAL, 7), (SPHERICAL, 5)])
@pytest.mark.parametrize("bits", [32, 16])
def test_a_message_is_as_long_as_its_shape_says(fitting, width, bits):
    """Three components and two counts; beside them two headers, ranges of 8 bytes, 2-bit labels."""
    values = np.concatenate([two_blobs(60), blob(60, seed=3)])
    mixtures_message, labels = message(1, 2, fitting=fitting), np.repeat([0, 3], 60)
    shape, summary = (
        mixtures_message.shape(0, values, labels),
        mixtures_message.summary(0, values, labels),
    )
    assert shape.numbers == 3 * width + 2
    assert shape.bits(Compression(bits)) == 8 * len(summary.sent(Compression(bits))[0])
    empty = message(200).shape(0, values, labels)
    ranges = 8 * 3 if bits == 16 else 0
    data = 3 * width * bits // 8 + ranges + 1 + 2 * 4
    headers = empty.bits(Compression(bits)) // 8
    assert empty.numbers == 0
    assert shape.bits(Compression(bits)) == 8 * (headers + data)


LEAST = 1e-4


def gaussians_message(spherical: bool, noise: float = 0.0) -> GaussiansMessage:
    return GaussiansMessage(CLASSES, WIDTH, Fitting(LEAST, spherical), noise, 1, 0)


def within_one(rows: np.ndarray) -> np.ndarray:
    """Return rows of length one at most."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.maximum(lengths, 1)


@pytest.mark.parametrize("spherical", [True, False])
@given(
    arrays(float, (2, WIDTH), elements=st.floats(-1, 1)),
    st.tuples(*[st.integers(0, CLASSES - 1)] * 2),
)
def test_a_replaced_sample_moves_them_as_far_as_statistics_at_most(spherical, rows, labels):
    rows = within_one(rows)
    sums = [gaussians_message(spherical).sums(rows[[n]], np.array([labels[n]])) for n in (0, 1)]
    assert np.linalg.norm(sums[0] - sums[1]) <= sensitivity(1.0, "replace-one") + 1e-9


def test_two_samples_of_two_classes_move_them_so_far():
    rows = np.eye(2, WIDTH)
    sums = [gaussians_message(True).sums(rows[[n]], np.array([n])) for n in (0, 1)]
    assert np.linalg.norm(sums[0] - sums[1]) == pytest.approx(sensitivity(1.0, "replace-one"))


@pytest.mark.parametrize("spherical", [True, False])
def test_without_noise_they_are_mean_and_variance_of_each_class(spherical):
    rows = within_one(np.random.default_rng(0).normal(0.1, 0.2, (60, WIDTH)))
    labels, gaussians = (
        np.arange(60) % 3,
        gaussians_message(spherical),
    )  # of the last class there is none
    drawn = gaussians.combined([(5, gaussians.summary(5, rows, labels))])
    assert np.bincount(drawn.labels, minlength=CLASSES).tolist() == [20, 20, 20, 0]
    assert set(drawn.client) == {5}
    for label in range(3):
        of_class = rows[labels == label]
        gaussian = gaussians._gaussian(20, gaussians.sums(rows, labels)[label, 1:])
        fitted = gaussians.fitting.fitted(of_class, 1, np.random.default_rng(0))
        assert np.allclose(gaussian.rows(), fitted.rows())


def test_every_number_has_noise_of_its_own_and_the_length_tells_nothing():
    noised, rows = gaussians_message(False, noise=2.0), np.zeros((8, WIDTH))
    labels = np.zeros(8, dtype=int)
    apart = []
    for client in range(400):
        summary = noised.summary(client, rows, labels)
        sent = np.hstack([summary.counts[:, None], summary.tables[0].rows])
        apart.append(sent - noised.sums(rows, labels))
    assert np.std(apart, axis=0) == pytest.approx(2.0, rel=0.15)
    assert noised.shape(0, rows, labels) == noised.shape(1, rows[:1], labels[:1] + 3)


def test_what_noise_makes_of_a_class_is_no_impossible_gaussian():
    gaussians = gaussians_message(True)
    gaussian = gaussians._gaussian(1, np.array([30.0, 0, 0, -5]))
    assert gaussian.means.tolist() == [[1, 0, 0]]
    assert gaussian.variances.tolist() == [[LEAST]]
