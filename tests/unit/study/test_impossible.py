"""What no job of a task could do is refused when the plan is made, and records are checked."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fbftl.ground.errors import UserError
from fbftl.study import impossible, methods
from fbftl.study.feasibility import require_feasible
from fbftl.study.impossible import require_packages
from fbftl.study.record_faults import require_records
from unit.study.test_feasibility import DIGITS, study

NETWORK = {"kind": "mlp", "fc": [8], "cut": "relu_fc1"}
SECURE = {"method": ["secure_ftl"]}


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"method": ["fd"], "clients": [1]}, "one client take part.*give fd clients at least 2"),
        ({"method": ["fd"], "clients": [4], "fraction": [0.25]}, "one client take part"),
        ({"method": ["fedmd"], "clients": [1]}, "one client take part.*fedmd"),
        (SECURE | {"common_samples": [1439]}, "1439 common samples of 1438; give .* at most 1438"),
        (SECURE | {"most_samples": [20]}, "50 common samples of 20"),
        ({"method": ["fedavg"], "drawn": [1439]}, "draw 1439 samples in a round of 1438"),
        (
            {"method": ["fedavg"], "drawn": [101], "clients": [144], "fraction": [0.07]},
            "draw 101 samples of the 100 of those that take part; give drawn at most 100",
        ),
    ],
)
def test_the_plan_refuses_what_a_job_would(root: Path, axes: dict, said: str) -> None:
    task = {"networks": {"small": NETWORK}, "architectures": ["small"]}
    asked = study(root, task, **axes)
    with pytest.raises(UserError, match=said):
        require_feasible(asked, "digits", 1438)


@pytest.mark.parametrize(
    "axes",
    [
        {"method": ["fd"], "clients": [8], "fraction": [0.25]},
        SECURE | {"common_samples": [1438]},
        {"method": ["fedavg"], "drawn": [1438]},
    ],
)
def test_the_plan_lets_pass_what_a_job_can_do(root: Path, axes: dict) -> None:
    require_feasible(study(root, {}, **axes), "digits", 1438)


PEOPLE = {
    "data": {"kind": "groups"},
    "source": {"kind": "vectors"},
    "networks": {"small": NETWORK | {"cut": "fc1"}},
    "game": {"discriminator": [4]},
    "training": {"validation": 0.0, "selection": "last"},
}
GAME = {"method": ["fade"], "network": ["small"]}
NORMED = {"kind": "cnn", "channels": [[4]], "fc": [8], "norm": "batch", "cut": "relu_fc1"}
TRAINED = {"method": ["fedavg"], "network": ["normed"]}
PUBLIC = {"sources": [{"data": DIGITS, "split": "train", "domains": ["rotated"]}]}
BOUGHT = {"method": ["ecos"], "purchase": [20]}
CANDIDATES = {
    "networks": {"small": NETWORK},
    "sources": {"network": "small", "models": {"digits": "target", "letters": "letters"}},
}
VOTES = {"method": ["fedvote"], "network": ["small"], "sources": ["all"], "selection_round": [1]}
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
        BOUGHT | {"choice": ["ideal"]},
        "the public sources have none; leave choice: ideal out",
    ),
    (
        CANDIDATES,
        VOTES | {"most_samples": [3]},
        "compare models by 3 samples, and the unbiased similarity needs 4.*similarity: biased",
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
        BOUGHT | {"choice": ["ideal"]},
    ),
    (CANDIDATES, VOTES | {"most_samples": [4]}),
    (CANDIDATES, VOTES | {"most_samples": [3], "similarity": ["biased"]}),
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


@pytest.mark.parametrize(("protection", "name"), impossible.PACKAGES.items())
def test_encryption_without_its_package_is_refused(protection, name, monkeypatch) -> None:
    monkeypatch.setattr(impossible, "find_spec", lambda _: None)
    with pytest.raises(UserError, match=f"protection: {protection} needs the package {name}"):
        require_packages(["plain", protection])
    require_packages(["plain", "beaver"])


# --- records ----------------------------------------------------------------------------------

FEDAVG = methods.record("fedavg")


def test_the_records_of_the_project_have_no_fault() -> None:
    require_records()


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (replace(FEDAVG, name="fedavgg"), "'fedavgg' has no module scripts/fbftl/methods/fedavgg"),
        (replace(FEDAVG, axes=(*FEDAVG.axes, "locl_epochs")), "mean 'local_epochs'"),
        (
            replace(FEDAVG, axes=("network", *methods.CLIENTS, *methods.LINK)),
            "'fedavg' lacks the axes bits, keep, feedback, mechanism, .*run_rounds reads; put "
            r"\*BY_ROUNDS",
        ),
        ((FEDAVG,), "no MethodRecord.*without brackets"),
    ],
)
def test_a_faulty_record_is_one_sentence(record: methods.MethodRecord, said: str) -> None:
    with pytest.raises(UserError, match=said):
        require_records([record])


def test_a_module_that_is_no_python_is_named(tmp_path: Path) -> None:
    (tmp_path / "fedavg.py").write_text("def run(:\n")
    with pytest.raises(UserError, match=r"methods/fedavg\.py is no Python"):
        require_records([FEDAVG], tmp_path)


def printed_record(root: Path) -> Sequence[str]:
    page = (root / "docs/adding-a-method.md").read_text(encoding="utf-8")
    return [block.split("```")[0] for block in page.split("```python\n")[1:]]


def test_the_guides_record_can_be_put_among_the_records(root: Path) -> None:
    """Its text, as it is printed, between the brackets of RECORDS."""
    (text,) = (own for own in printed_record(root) if "MethodRecord(" in own)
    dedented = text.replace("<name>", "fedavg")
    (found,) = eval(f"(\n{dedented},\n)", vars(methods) | {})
    assert isinstance(found, methods.MethodRecord)
    require_records([found])


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("results/digits/runs/fbftl+plr=0.6.json", "no setting 'fbftl.plr=0.6' on digits; did you"),
        ("results/digits/runs/fbftl+plr=0.6.parquet", r"did you mean 'fbftl\+plr=0.5'"),
        ("results/digit/runs/fbftl.json", "no task 'digit'; did you mean 'digits'"),
    ],
)
def test_a_run_that_the_study_does_not_make_is_refused(root: Path, target: str, said: str) -> None:
    asked = study(root, {}, method=["fbftl"], plr=[0.0, 0.5])
    asked.require_runs(["results/digits/runs/fbftl+plr=0.5.json", "all", "results/index.html"])
    with pytest.raises(UserError, match=said):
        asked.require_runs([target])
