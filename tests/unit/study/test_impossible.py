"""What no job of a task could do is refused when the plan is made."""

from pathlib import Path

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.feasibility import require_feasible
from unit.study.test_feasibility import study

DIGITS = {"kind": "digits", "test_fraction": 0.2, "seed": 0}
NETWORK = {"kind": "mlp", "fc": [8], "cut": "relu_fc1"}
SECURE = {"method": ["secure_ftl"]}


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"method": ["fd"], "clients": [1]}, "one client take part.*give fd clients at least 2"),
        (SECURE | {"common_samples": [1439]}, "1439 common samples of 1438; give .* at most 1438"),
        (SECURE | {"most_samples": [20]}, "50 common samples of 20"),
        (
            {"method": ["fedavg"], "resampled_per_round": [1439]},
            "draw 1439 samples in a round of 1438",
        ),
        (
            {
                "method": ["fedavg"],
                "resampled_per_round": [101],
                "clients": [144],
                "fraction": [0.07],
            },
            "draw 101 samples of the 100 of those that take part; give resampled_per_round at "
            "most 100",
        ),
    ],
)
def test_the_plan_refuses_what_a_job_would(root: Path, axes: dict, message: str) -> None:
    task = {"networks": {"small": NETWORK}, "architectures": ["small"]}
    refused = study(root, task, **axes)
    with pytest.raises(UserError, match=message):
        require_feasible(refused, "digits", 1438)


PEOPLE = {
    "data": {"kind": "groups"},
    "source": {"kind": "vectors"},
    "networks": {"small": NETWORK | {"cut": "fc1"}},
    "adversarial_game": {"discriminator": [4]},
    "training": {"validation": 0.0, "selection": "last"},
}
GAME = {"method": ["fade"], "network": ["small"]}
NORMED = {"kind": "cnn", "channels": [[4]], "fc": [8], "norm": "batch", "cut": "relu_fc1"}
TRAINED = {"method": ["fedavg"], "network": ["normed"]}
PUBLIC = {"sources": [{"data": DIGITS, "split": "train", "domains": ["rotated"]}]}
BOUGHT = {"method": ["ecos"], "purchase": [20]}
CANDIDATES = {
    "networks": {"small": NETWORK},
    "source_models": {"network": "small", "models": {"digits": "target", "letters": "letters"}},
}
VOTES = {
    "method": ["fedvote"], "network": ["small"], "vote_candidates": ["all"], "vote_round": [1],
}  # fmt: skip
REFUSED = [
    (
        PEOPLE,
        GAME | {"majority_users": [1439]},
        "1439 users of a group among 1438 samples; give majority_users at most 1438",
    ),
    (
        {"networks": {"normed": NORMED}, "training": {"batch_norm": "batch"}},
        TRAINED | {"clients": [720]},
        "deals 1438 samples to 720 clients, some of which have one.*batch_norm: frozen",
    ),
    (
        {"public": PUBLIC, "clients": {"domains": ["plain", "inverted"]}},
        BOUGHT | {"purchase_rule": ["ideal"]},
        "the public sources have none; leave purchase_rule: ideal out",
    ),
    (
        CANDIDATES,
        VOTES | {"most_samples": [3]},
        "compare models by 3 samples, and the unbiased similarity needs 4.*cka_estimator: biased",
    ),
]
POSSIBLE = [
    (PEOPLE, GAME | {"majority_users": [1438]}),
    (
        {"networks": {"normed": NORMED}, "training": {"batch_norm": "batch"}},
        TRAINED | {"clients": [719]},
    ),
    ({"networks": {"normed": NORMED}}, TRAINED | {"clients": [720]}),
    (
        {"public": PUBLIC, "clients": {"domains": ["plain", "rotated"]}},
        BOUGHT | {"purchase_rule": ["ideal"]},
    ),
    (CANDIDATES, VOTES | {"most_samples": [4]}),
    (CANDIDATES, VOTES | {"most_samples": [3], "cka_estimator": ["biased"]}),
]


@pytest.mark.parametrize(("task", "axes", "sentence"), REFUSED)
def test_each_task_s_own_limits_are_the_plan_s(
    root: Path, task: dict, axes: dict, sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        require_feasible(study(root, task, **axes), "digits", 1438)


@pytest.mark.parametrize(("task", "axes"), POSSIBLE)
def test_what_is_just_within_them_passes(root: Path, task: dict, axes: dict) -> None:
    require_feasible(study(root, task, **axes), "digits", 1438)
