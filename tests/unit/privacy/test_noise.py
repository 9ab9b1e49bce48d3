from math import exp, log

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.privacy.noise import (
    add_relative,
    clip_norm,
    clip_rows,
    keep_probability,
    noisy_sum,
    relative_range,
    respond,
    row_norms,
    sample_noise,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays


@settings(deadline=None)
@given(
    arrays(np.float32, (3, 5), elements=st.floats(-1, 1, width=32)),
    st.integers(-120, 126),
    st.integers(-148, 20),
)
def test_clipping_holds_at_every_length_that_32_bits_can_have(vectors, size, norm):
    """At 3e38 over 0.001 the factor itself has few digits left: 1e-4 too long was seen."""
    clipped = clip_rows(np.ldexp(vectors, size), 2.0**norm)
    assert (row_norms(clipped) <= 2.0**norm).all()


def test_vectors_that_are_not_finite_are_refused():
    with pytest.raises(UserError, match="vector 1 "):
        clip_rows([[0.0], [np.nan]], 1.0)


def test_clip_norm_is_given_or_taken_from_public_data():
    assert clip_norm({"norm": 2}) == 2.0
    source = np.diag([1.0, 2.0, 3.0])
    assert clip_norm({"quantile": 0.5, "data": "source"}, source) == 2.0


def test_a_quantile_without_public_data_is_refused():
    with pytest.raises(UserError, match="features of source data"):
        clip_norm({"quantile": 0.5, "data": "source"})


def test_a_sample_keeps_its_noise_in_any_company():
    everyone = sample_noise(3, np.arange(10), 6)
    some = sample_noise(3, [7, 2], 6)
    np.testing.assert_array_equal(some, everyone[[7, 2]])
    assert (sample_noise(3, [7], 6, draw=1) != some[0]).any()
    assert (sample_noise(4, [7], 6) != some[0]).any()


def test_relative_range_equals_the_maximum_over_all_pairs():
    g = stream(0, "test").normal(size=(12, 5))
    pairs = [np.abs(a - b).max() / (3 * a.std()) for a in g for b in g]
    assert relative_range(g, samples=3) == pytest.approx(max(pairs))


def test_relative_range_of_a_constant_vector_is_undefined():
    with pytest.raises(UserError, match="vector 1 is constant"):
        relative_range([[0.0, 1.0], [2.0, 2.0]])


def test_relative_noise_scales_with_each_vectors_own_spread():
    g = np.array([[0.0, 2.0], [0.0, 20.0]])
    noise = np.ones((2, 2), dtype=np.float32)
    added = add_relative(g, noise, sigma=0.5, relative_range=4.0) - g
    np.testing.assert_allclose(added, [[2.0, 2.0], [20.0, 20.0]])


def test_each_round_has_its_own_noise_even_without_clients():
    empty = np.zeros((0, 50))
    first, again, second = (
        noisy_sum(empty, noise_std=6.0, seed=1, round_number=t) for t in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != second).all()
    many = noisy_sum(np.zeros((0, 50_000)), noise_std=6.0, seed=1, round_number=2)
    assert many.std() == pytest.approx(6.0, rel=0.02)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_randomised_response_is_epsilon_private(epsilon):
    keep, others = keep_probability(epsilon, 10), 9
    assert keep == pytest.approx(exp(epsilon) / (exp(epsilon) + 9))
    assert log(keep / ((1 - keep) / others)) == pytest.approx(epsilon)


def test_an_answer_is_fixed_per_sample():
    everyone = respond(np.arange(9) % 3, np.arange(9), epsilon=0.5, classes=3, seed=2)
    some = respond([1, 2], [4, 8], epsilon=0.5, classes=3, seed=2)
    assert some.tolist() == everyone[[4, 8]].tolist()
    assert respond([], [], epsilon=1.0, classes=3, seed=0).tolist() == []
