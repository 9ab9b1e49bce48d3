"""Messages are shared by settings that differ beside them, and by no others."""

from types import SimpleNamespace

import pytest
from fbftl.exchange.sending import Sending
from fbftl.study import methods
from fbftl.study.job import known_axes

DEFAULTS = methods.axes_by_method()["fbftl"]


def shared(**deviations) -> bool:
    setting = known_axes({"method": "fbftl"} | deviations, DEFAULTS | {"rotated": 0})
    return Sending(SimpleNamespace(setting=setting), None, ()).shared


@pytest.mark.parametrize(
    "axes", [{}, {"plr": 0.5, "loss": "reshuffled"}, {"bits": 8, "keep": 0.5}, {"clients": 3}]
)
def test_what_happens_beside_messages_leaves_them_shared(axes):
    assert shared(**axes)


@pytest.mark.parametrize(
    "axes",
    [
        {"mechanism": "gaussian", "sigma": 1.0},
        {"label_epsilon": 1.0},
        {"plr": 0.5, "rotated": 1},  # an axis that nobody has heard of here
    ],
)
def test_any_other_axis_makes_messages_of_its_own(axes):
    assert not shared(**axes)
