"""Games that a task cannot play are refused before any job, in a sentence."""

from typing import Any

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.grid import expand
from fbftl.study.methods.fade import number_of_groups, task_faults
from fbftl.study.settings import Setting

BLOCK: dict[str, Any] = {
    "networks": {"mlp": {"kind": "mlp", "norm": "none"}, "cnn": {"kind": "cnn", "norm": "none"}},
    "adversarial_game": {"labelled": None},
    "data": {"kind": "groups", "rates": [0.3, 0.2]},
    "clients": {"partition": "iid", "groups": None},
}
TRAINING = {"selection": "last", "validation": 0.0, "annealing": "none"}
TRAINING |= {"absent_classes": "counted"}
ASKED = {"method": "fade", "network": "mlp", "majority_users": 2}


def faults(setting: dict[str, Any], block: dict[str, Any], **training: Any) -> list[str]:
    return list(task_faults(Setting(**ASKED | setting), BLOCK | block, TRAINING | training))


def test_what_can_be_played_is_let_through():
    assert faults({}, {}) == []
    of_groups = {"clients": {"partition": "iid", "groups": [0, 1]}}
    assert faults({"majority_users": None}, of_groups) == []
    table = {"kind": "table", "group_column": "sex"}
    assert (
        faults({"unlabelled_loss": "shot"}, {"data": table, "adversarial_game": {"labelled": [1]}})
        == []
    )
    assert number_of_groups(BLOCK | {"data": table}) is None


@pytest.mark.parametrize(
    ("setting", "block", "training", "sentence"),
    [
        ({"network": "cnn"}, {}, {}, "kind mlp"),
        ({}, {"data": {"kind": "digits"}}, {}, "give the task groups"),
        ({"majority_users": None}, {}, {}, "give majority_users"),
        ({}, {}, {"selection": "validation"}, "selection: last"),
        ({}, {}, {"validation": 0.1}, "validation: 0"),
        ({}, {}, {"annealing": "cosine"}, "annealing"),
        (
            {"aggregation": "masked"},
            {"adversarial_game": {"labelled": [0]}},
            {},
            "leave adversarial_game.labelled out",
        ),
        ({"unlabelled_loss": "shot"}, {}, {}, "all its users have labels"),
        ({}, {"adversarial_game": {"labelled": [2]}}, {}, "give some of 0 to 1"),
        (
            {"mechanism": "update_gaussian", "sigma": 1.0},
            {"adversarial_game": {"labelled": [0]}},
            {},
            "of which groups users are",
        ),
    ],
)
def test_what_cannot_is_refused(setting, block, training, sentence):
    assert sentence in faults(setting, block, **training)[0]


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        ({"adversary": "none", "opt_out": 0.5}, "give an adversary as well"),
        (
            {"adversary": "plain", "aggregation": "masked", "minority_participation": 0.2},
            "of which one",
        ),
        ({"mechanism": "update_gaussian"}, "needs sigma or epsilon"),
        (
            {"mechanism": "update_gaussian", "sigma": 1.0, "minority_participation": 0.95},
            "draws who takes part by group",
        ),
    ],
)
def test_a_grid_that_contradicts_itself_is_refused(axes, sentence):
    with pytest.raises(UserError, match=sentence):
        expand([{axis: [value] for axis, value in (ASKED | axes).items()}])
