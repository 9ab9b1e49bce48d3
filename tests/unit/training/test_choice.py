"""The rule for head and epochs: flat curves, small heads, validation alone."""

import numpy as np
import pytest
from fbftl.training.choice import Candidate, epochs_to_common, flat_epochs, smallest_within_error


def curve(rising: int, length: int, seeds: int = 3, top: float = 0.9) -> np.ndarray:
    """Curves that rise in a line for `rising` epochs and are flat from there on."""
    mean = top * np.minimum(np.arange(1, length + 1) / rising, 1.0)
    return np.tile(mean, (seeds, 1))


@pytest.mark.parametrize(("rising", "epochs"), [(3, 8), (4, 8), (6, 12), (12, 24), (30, 60)])
def test_a_curve_is_flat_once_its_rise_lies_before_the_last_half(rising, epochs):
    assert flat_epochs(curve(rising, 80)) == epochs


def test_a_rise_within_the_standard_error_is_none():
    rise = np.outer([-0.01, 0.0, 0.02], np.arange(40))  # some seeds rise, others fall
    assert flat_epochs(curve(3, 40) + rise) == 8


def test_a_common_accuracy_is_the_best_of_the_worst_head():
    heads = [
        Candidate((64,), 900, curve(10, 40, top=0.9)),
        Candidate((), 90, curve(20, 40, top=0.45)),
    ]
    assert epochs_to_common(heads) == [5, 20]


def test_the_smallest_head_within_one_standard_error_is_taken():
    spread = np.array([[-0.01], [0.0], [0.01]])  # a standard error of 0.0058
    heads = [
        Candidate((512,), 9000, curve(3, 40, top=0.900) + spread),
        Candidate((64,), 900, curve(3, 40, top=0.896) + spread),
        Candidate((), 90, curve(3, 40, top=0.890) + spread),
    ]
    assert smallest_within_error(heads).widths == (64,)
    assert smallest_within_error(heads[:1]).widths == (512,)
