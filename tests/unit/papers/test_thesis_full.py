"""Functions of the thesis's claims."""

from fbftl.papers.thesis.fade_central import largest_difference


def test_all_users_at_once_are_as_one():
    assert largest_difference() < 1e-5
