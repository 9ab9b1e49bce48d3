"""What curves come to: closed forms."""

import numpy as np
import pytest
from fbftl.papers.curves import (
    end_of,
    points_fallen,
    rounds_falling,
    rounds_to_converge,
    rounds_until,
)

RISING = np.minimum(np.arange(1, 21) / 10, 1.0)
"""A tenth more in each of ten rounds, then level."""


def test_a_curve_ends_in_the_mean_of_its_last_tenth():
    assert end_of(np.arange(20.0)) == 18.5
    assert end_of([0.3]) == 0.3


def test_rounds_count_from_one_and_end_one_after_the_last():
    """Of twenty rounds two in a row count, by their middle."""
    assert rounds_until(RISING, 0.45) == 4.5
    assert rounds_until(RISING, 0.46) == 5.5
    assert rounds_until(RISING, 0.15) == 1.5
    assert rounds_until(RISING, 1.0) == 10.5
    assert rounds_until(RISING, 1.1) == 21
    assert rounds_until([0.2, 0.6, 0.7], 0.6) == 2


def test_a_curve_has_converged_a_point_below_its_end():
    assert rounds_to_converge(RISING) == 10.5
    assert rounds_to_converge(np.append(RISING[:9], [0.991] + [1.0] * 10)) == 10.5
    assert rounds_to_converge([0.5] * 8) == 1


def test_noise_does_not_move_the_round_of_convergence():
    """Single rounds of a noisy curve are there long before its mean is."""
    rounds = np.arange(1, 121)
    smooth = 0.9 - 0.5 * np.exp(-rounds / 15)
    noise = np.random.default_rng(0).normal(0, 0.03, (200, len(rounds)))
    expected = rounds_to_converge(smooth)
    noisy = np.array([rounds_to_converge(smooth + of_seed) for of_seed in noise])
    first = np.array([np.flatnonzero(smooth + of_seed >= 0.89)[0] + 1 for of_seed in noise])
    assert np.nanmean(noisy) == pytest.approx(expected, rel=0.1)
    assert first.mean() < 0.7 * expected


def test_curves_that_still_rise_or_diverged_have_not_converged():
    assert np.isnan(rounds_to_converge(np.arange(1, 41) / 40))
    assert np.isnan(rounds_to_converge(np.append(np.full(20, 0.5), np.zeros(20))))
    assert np.isnan(rounds_to_converge([0.5]))
    assert rounds_to_converge(0.5 + np.arange(1, 41) / 1000) > 20


def test_falls_are_counted_and_added_up_and_rises_are_neither():
    zigzag = [0.5, 0.4, 0.6, 0.55, 0.55]
    assert rounds_falling(zigzag) == 0.5
    assert points_fallen(zigzag) == pytest.approx(15)
    assert rounds_falling(RISING) == points_fallen(RISING) == 0
    assert rounds_falling([0.5]) == 0
