"""Sizes: a task's name ends in its size, and is quick without one."""

import pytest
from fbftl.study.sizes import Size, size_of


@pytest.mark.parametrize(
    ("task", "size"),
    [
        ("digits", Size.QUICK),
        ("digits-full", Size.FULL),
        ("full-digits", Size.QUICK),
        ("digitsfull", Size.QUICK),
        ("digits-full-exact", Size.QUICK),
    ],
)
def test_a_size_is_the_ending_of_a_name(task, size):
    assert size_of(task) is size
