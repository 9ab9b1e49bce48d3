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
        "training": {"clients_per_round": axes.pop("clients_per_round", 4)},
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


@pytest.mark.parametrize(
    "axes",
    [
        {"epsilon": 1.0},
        {"sigma": 1.0, "laplace_sensitivity": "clip"},
        {"laplace_sensitivity": "clip"},
    ],
)
def test_laplace_needs_epsilon_and_a_sensitivity(axes):
    with pytest.raises(UserError, match="laplace, which needs epsilon of a coordinate"):
        expand([{key: [value] for key, value in (EPPFL | {"mechanism": "laplace"} | axes).items()}])


def test_a_masked_round_of_one_client_is_refused():
    with pytest.raises(UserError, match="masked sum of one client shows what it sent"):
        resolve(study(aggregation="masked", clients_per_round=1))


def test_a_client_part_is_where_the_job_cuts_and_has_to_be_in_the_network():
    resolved = resolve(study(client_part="relu2_1"))
    (name,) = resolved.settings["toy"]["split"]
    assert resolved.job("toy", name)["block"]["network"]["cut"] == "relu2_1"
    check_networks("toy", resolved.task("toy"), resolved.client_parts("toy"))
    wrong = resolve(study(client_part="relu7_1"))
    with pytest.raises(UserError, match=r"cut is 'relu7_1'.*choose among conv1_1"):
        check_networks("toy", wrong.task("toy"), wrong.client_parts("toy"))
