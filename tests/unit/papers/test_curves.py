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
    assert rounds_until(RISING, 0.45) == 5
    assert rounds_until(RISING, 0.1) == 1
    assert rounds_until(RISING, 1.1) == 21


def test_a_curve_has_converged_a_point_below_its_end():
    assert rounds_to_converge(RISING) == 10
    assert rounds_to_converge(np.append(RISING[:9], [0.991] + [1.0] * 10)) == 10
    assert rounds_to_converge([0.5] * 8) == 1


def test_falls_are_counted_and_added_up_and_rises_are_neither():
    zigzag = [0.5, 0.4, 0.6, 0.55, 0.55]
    assert rounds_falling(zigzag) == 0.5
    assert points_fallen(zigzag) == pytest.approx(15)
    assert rounds_falling(RISING) == points_fallen(RISING) == 0
    assert rounds_falling([0.5]) == 0
