"""Settings of split training: what vanishes without effect, and what is refused in one sentence."""

import pytest
from fbftl.ground.errors import UserError
from fbftl.models.chain import check_networks
from fbftl.study.config import resolve
from fbftl.study.grid import expand, from_axes
from fbftl.study.settings import Setting

EPPFL = {"method": "eppfl"}


def study(**axes: object) -> dict:
    network = {"kind": "cnn", "channels": [[4], [4]], "fc": [8], "cut": "relu1_1"}
    task = {
        "data": {"kind": "digits"},
        "source": {"kind": "pretrain", "image": [8, 8, 1]},
        "features": {"cut": "relu_fc1"},
        "networks": {"cnn": network},
    }
    grid = {"method": ["eppfl"], "network": ["cnn"]} | {axis: [v] for axis, v in axes.items()}
    return {
        "study": {"tasks": ["toy"], "experiments": ["split"]},
        "tasks": {"toy": task},
        "experiments": {"split": {"grids": [grid]}},
    }


def test_axes_without_effect_vanish():
    plain = Setting(**EPPFL)
    for axis, value in {
        "kept_gradients": "small", "selection_reading": "code", "laplace_sensitivity": "clip",
        "mask_shape": "scalar", "client_part": "relu2_1",
    }.items():  # fmt: skip
        assert from_axes(EPPFL | {axis: value}) == plain
        with pytest.raises(UserError, match=f"asks for {axis} .* has no effect"):
            expand([{"method": ["eppfl"], axis: [value]}])


def test_a_client_part_is_where_the_job_cuts_and_has_to_be_in_the_network():
    resolved = resolve(study(client_part="relu2_1"))
    (name,) = resolved.settings["toy"]["split"]
    assert resolved.job("toy", name)["block"]["network"]["cut"] == "relu2_1"
    check_networks("toy", resolved.task("toy"), resolved.client_parts("toy"))
    wrong = resolve(study(client_part="relu7_1"))
    with pytest.raises(UserError, match=r"cut is 'relu7_1'.*choose among conv1_1"):
        check_networks("toy", wrong.task("toy"), wrong.client_parts("toy"))
