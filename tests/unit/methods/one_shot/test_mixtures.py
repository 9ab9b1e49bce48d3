"""Mixtures: fitted by EM, as long as told, and of as many components as held-out samples want."""

import numpy as np
import pytest
from fbftl.messages.codec import Compression
from fbftl.methods.one_shot.messages.mixtures import (
    Fitting,
    Mixture,
    MixturesMessage,
    held_out_count,
)
from sklearn.mixture import GaussianMixture

DIAGONAL, SPHERICAL = Fitting(1e-3), Fitting(1e-3, spherical=True)
WIDTH = 3


def blob(count: int, centre: float = 0.0, seed: int = 0) -> np.ndarray:
    """Return normal samples around a point of equal coordinates."""
    return centre + np.random.default_rng(seed).standard_normal((count, WIDTH))


def two_blobs(count: int) -> np.ndarray:
    """Return samples of two blobs far from each other, half of each."""
    return np.concatenate([blob(count // 2, -20, 1), blob(count - count // 2, 20, 2)])


def message(*components: int, fitting: Fitting = SPHERICAL, least: int = 1) -> MixturesMessage:
    return MixturesMessage(4, WIDTH, components, fitting, least, seed=0)


def test_one_component_is_mean_and_variance_with_a_floor():
    """Variances 1 and 0 below a floor of 0.25; spherical, their mean 0.5."""
    rows, rng = np.array([[1.0, 2.0], [3.0, 2.0]]), np.random.default_rng(0)
    assert np.allclose(Fitting(0.25).fitted(rows, 1, rng).rows(), [[1, 2, 2, 1, 0.25]])
    assert np.allclose(Fitting(0.25, True).fitted(rows, 1, rng).rows(), [[1, 2, 2, 0.5]])
    assert np.allclose(Fitting(0.75, True).fitted(rows, 1, rng).rows(), [[1, 2, 2, 0.75]])
    equal = Fitting(0.25).fitted(np.repeat([[0.0, 0.0], [40.0, 40.0]], 2, axis=0), 2, rng)
    assert (equal.variances == 0.25).all()
    with pytest.raises(ValueError, match="2 samples"):
        Fitting(0.25).fitted(rows, 3, rng)


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
