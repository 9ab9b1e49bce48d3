"""Committees that cannot be, or whose noise nobody adds, are refused before any job."""

from typing import Any

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.grid import expand
from fbftl.study.settings import Setting

SUMS = {"method": "one_shot", "message": "statistics", "head": "lda", "aggregation": "committee"}


def grid(**axes: Any) -> dict[str, list[Any]]:
    return {axis: [value] for axis, value in axes.items()}


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        (
            SUMS | {"committee_members": 3, "committee_threshold": 4},
            "a committee of 3 members and a threshold of 4; give committee_threshold at most 3",
        ),
        (SUMS | {"committee_members": 2}, "2 members and a threshold of 3"),
        (
            SUMS | {"mechanism": "relative", "sigma": 1.0},
            "mechanism relative, whose noise nobody adds under a committee; use mechanism: ga",
        ),
        (
            {"method": "ecos", "purchase": 9, "mechanism": "counts", "sigma": 1.0}
            | {"aggregation": "committee"},
            "mechanism counts, whose noise nobody adds under a committee",
        ),
        (
            {"method": "fade", "mechanism": "update_gaussian", "sigma": 1.0}
            | {"aggregation": "committee"},
            "mechanism update_gaussian, whose noise nobody adds",
        ),
        (
            {"method": "fedavg", "mechanism": "dp_fedavg", "sigma": 1.0}
            | {"aggregation": "committee"},
            "mechanism dp_fedavg, whose noise nobody adds",
        ),
        (
            {"method": "fedavg", "mechanism": "dp_fedavg", "sigma": 1.0, "aggregation": "masked"},
            "mechanism dp_fedavg on masked weights, of which the dealer adds none",
        ),
        (SUMS | {"bits": 8}, "masks compressed messages"),
        (
            {"method": "fedavg", "bits": 8, "aggregation": "committee"},
            "masks compressed messages",
        ),
        (SUMS | {"message": "features"}, "masks features, which cannot be summed"),
        (
            SUMS | {"message": "means", "head": "fedcof"},
            "fedcof needs each client's; use head ncm or fedncm",
        ),
        (
            {"method": "fade", "aggregation": "committee", "minority_participation": 0.5},
            "masks messages of which one alone can be summed",
        ),
        (
            {"method": "eppfl", "aggregation": "committee"},
            "aggregation committee is for one_shot and .*fedavg",
        ),
        (
            {"method": "fedprox", "aggregation": "committee"},
            "fedprox does not know axis aggregation",
        ),
        (
            {"method": "eppfl", "aggregation": "masked", "committee_members": 4},
            "eppfl does not know axis committee_members",
        ),
        (
            SUMS | {"aggregation": "masked", "committee_threshold": 2},
            "asks for committee_threshold 2, which has no effect .* give aggregation: committee",
        ),
        (
            SUMS | {"aggregation": "open", "least_arrivals": 0.5},
            "asks for least_arrivals 0.5, which has no effect",
        ),
    ],
)
def test_what_no_committee_does_is_one_sentence(axes, sentence):
    with pytest.raises(UserError, match=sentence):
        expand([grid(**axes)])


def test_a_committee_keeps_its_axes_in_its_name_and_others_lose_them():
    (ours,) = expand([grid(**SUMS, committee_members=6, committee_threshold=4)])
    assert "committee_members=6+committee_threshold=4" in ours.name
    (default,) = expand([grid(**SUMS, committee_members=5)])
    assert default == Setting(**SUMS)
