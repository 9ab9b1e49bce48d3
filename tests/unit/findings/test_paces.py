"""How soon a curve reaches an accuracy: between its points, and never."""

import pytest
from fbftl.findings.paces import epochs_to


@pytest.mark.parametrize(
    ("target", "epochs"), [(0.25, 0.5), (0.5, 1.0), (0.6, 1.5), (0.7, 2.0), (0.8, 4.0)]
)
def test_a_curve_is_read_between_its_points(target, epochs):
    assert epochs_to([0.5, 0.7, 0.6], target) == pytest.approx(epochs)


def test_the_first_time_counts():
    assert epochs_to([0.2, 0.1, 0.3], 0.15) == pytest.approx(0.75)
