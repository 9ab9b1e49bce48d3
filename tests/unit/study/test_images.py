"""Cuts that settings of a task with images may name."""

from typing import Any

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.grid import from_axes
from fbftl.study.kinds.images import settled

TASK: dict[str, Any] = {
    "features": {"cut": "relu_fc1", "further_cuts": ["fc1"]},
    "privacy": {"feature_clip": {"quantile": 0.5}},
}


def names(*axes: dict[str, Any]) -> list[str]:
    return sorted({settled(from_axes(axis), "digits", TASK).name for axis in axes})


def test_the_own_cut_needs_no_naming() -> None:
    assert names({"cut": "relu_fc1"}, {}) == ["fbftl"]
    assert names({"cut": "fc1", "method": "ftl_c"}) == ["ftl_c+cut=fc1"]


def test_the_released_procedure_extracts_for_itself() -> None:
    assert names({"method": "released", "cut": "drop_fc1"}) == ["released+cut=drop_fc1"]


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"cut": "fc2"}, "add its cut to tasks.digits.features.further_cuts"),
        ({"cut": "fc1", "mechanism": "gaussian", "epsilon": 1.0}, "feature_clip a norm"),
    ],
)
def test_a_cut_without_features_is_refused(axes: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        names(axes)
