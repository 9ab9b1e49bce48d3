"""Games that a task cannot play are refused before any job, in a sentence."""

from typing import Any

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.game import number_of_groups, require_game
from fbftl.study.grid import expand
from fbftl.study.settings import Setting

BLOCK: dict[str, Any] = {
    "networks": {"mlp": {"kind": "mlp", "norm": "none"}, "cnn": {"kind": "cnn", "norm": "none"}},
    "game": {"labelled": None},
    "data": {"kind": "groups", "rates": [0.3, 0.2]},
    "clients": {"partition": "iid", "groups": None},
}
TRAINING = {"selection": "last", "validation": 0.0, "annealing": "none"}
TRAINING |= {"absent_classes": "counted"}
ASKED = {"method": "fade", "network": "mlp", "majority_users": 2}


def refuse(setting: dict[str, Any], block: dict[str, Any], **training: Any) -> None:
    require_game("config: x", Setting(**ASKED | setting), BLOCK | block, TRAINING | training)


def test_what_can_be_played_is_let_through():
    refuse({}, {})
    refuse({"majority_users": None}, {"clients": {"partition": "iid", "groups": [0, 1]}})
    table = {"kind": "table", "group_column": "sex"}
    refuse({"unlabelled_loss": "shot"}, {"data": table, "game": {"labelled": [1]}})
    assert number_of_groups(BLOCK | {"data": table}) is None


@pytest.mark.parametrize(
    ("setting", "block", "training", "said"),
    [
        ({"network": "cnn"}, {}, {}, "kind mlp"),
        ({"network": None}, {}, {}, "kind mlp"),
        ({}, {"data": {"kind": "digits"}}, {}, "give the task groups"),
        ({"majority_users": None}, {}, {}, "give majority_users"),
        ({}, {}, {"selection": "validation"}, "selection: last"),
        ({}, {}, {"validation": 0.1}, "validation: 0"),
        ({}, {}, {"annealing": "cosine"}, "annealing"),
        ({"aggregation": "masked"}, {"game": {"labelled": [0]}}, {}, "leave game.labelled out"),
        ({"unlabelled_loss": "shot"}, {}, {}, "all its users have labels"),
        (
            {"unlabelled_loss": "shot"},
            {"game": {"labelled": [0, 1]}},
            {},
            "all its users have labels",
        ),
        ({}, {"game": {"labelled": [2]}}, {}, "give some of 0 to 1"),
    ],
)
def test_what_cannot_is_refused(setting, block, training, said):
    with pytest.raises(UserError, match=f"config: x; .*{said}"):
        refuse(setting, block, **training)


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"adversary": "none", "opt_out": 0.5}, "give an adversary beside it"),
        ({"adversary": "plain", "aggregation": "masked", "participation": 0.2}, "of which one"),
        ({"adversary": "plain", "aggregation": "masked", "opt_out": 0.2}, "of which one"),
        ({"mechanism": "update_gaussian"}, "needs sigma or epsilon"),
    ],
)
def test_a_grid_that_contradicts_itself_is_refused(axes, said):
    with pytest.raises(UserError, match=said):
        expand([{axis: [value] for axis, value in (ASKED | axes).items()}])
