"""Messages are shared by settings that differ beside them, and by no others."""

from types import SimpleNamespace

import pytest
from fbftl.exchange.sending import Sending
from fbftl.study import methods
from fbftl.study.job import known_axes

DEFAULTS = methods.axes_by_method()["fbftl"]


@pytest.mark.parametrize(
    ("axes", "shared"),
    [
        ({}, True),
        ({"plr": 0.5, "loss": "reshuffled"}, True),
        ({"bits": 8, "keep": 0.5}, True),
        ({"clients": 3}, True),
        ({"mechanism": "gaussian", "sigma": 1.0}, False),
        ({"label_epsilon": 1.0}, False),
        ({"plr": 0.5, "rotated": 1}, False),  # an axis that nobody has heard of here
    ],
)
def test_what_happens_beside_messages_leaves_them_shared_and_nothing_else(axes, shared):
    setting = known_axes({"method": "fbftl"} | axes, DEFAULTS | {"rotated": 0})
    assert Sending(SimpleNamespace(setting=setting), None, ()).shared == shared
