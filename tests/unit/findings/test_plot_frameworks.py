"""The figure of frameworks: points of a framework are told apart, in words, by what differs."""

import pytest
from plot_survey import what_differs

NONE = float("nan")


@pytest.mark.parametrize(
    ("variants", "differences"),
    [
        (["start own"], [""]),
        ([NONE, "message means, seed_samples 10"], ["", "class means, 10 seed samples"]),
        (
            ["width 1, rate 0.3", "width 2, rate 0.3", "rate 0.3"],
            ["width 1", "width 2", ""],
        ),
    ],
)
def test_only_what_differs_is_told(variants, differences):
    assert what_differs(variants) == differences
