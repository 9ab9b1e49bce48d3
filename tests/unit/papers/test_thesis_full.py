"""Functions of the thesis's claims."""

import pytest
from fbftl.papers.record import PaperRecord
from fbftl.papers.thesis.fade_central import largest_difference
from unit.papers.formula_parts import decisions


def test_all_users_at_once_are_as_one():
    assert largest_difference() < 1e-5


@pytest.mark.parametrize(
    "function", ["ratio_of_bounds", "as_central", "group_not_sent", "trained_by_client"]
)
def test_what_a_function_decides_is_as_the_thesis_says(function):
    found = decisions("thesis", function, PaperRecord({}))
    assert found
    assert all(decision.holds for decision in found.values())
