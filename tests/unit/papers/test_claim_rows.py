"""Rows of claims are read, refused in one sentence, and expanded into their parts."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from fbftl.ground.errors import UserError
from fbftl.papers.claim_rows import (
    ClaimForm,
    ClaimRow,
    ClaimTask,
    Side,
    Term,
    parts_of,
    read_rows,
    read_tasks,
    require_known,
    require_readable,
)
from fbftl.papers.formulas import functions_of
from fbftl.papers.measures import measures_of
from fbftl.plan.opened import Prepared
from fbftl.study.config import resolve
from fbftl.study.full_studies import read_every_full, read_of_size
from fbftl.study.systems import read_systems
from fbftl.study.yaml_files import read_yaml

CLAIMS = Path(__file__).parents[3] / "published" / "claims"
PAPERS = sorted({path.stem for path in CLAIMS.glob("*.csv")} - {"retired", "tasks"})

ROW = ClaimRow(
    "x-01", "", "", "", "", ClaimForm.MORE, "", "accuracy", "{method}", "fbftl{noise}",
    "method=fl|ftl_c", ("digits-full",), "",
)  # fmt: skip

TASKS = {"digits-full": ClaimTask("digits-full", {"noise": "+bits=2"})}


def test_parts_are_the_product_of_the_values():
    parts = parts_of(replace(ROW, over="method=fl|ftl_c; noise=|+bits=8"), TASKS)
    assert [(part.a.settings + part.b.settings) for part in parts] == [
        ("fl", "fbftl"), ("fl", "fbftl+bits=8"), ("ftl_c", "fbftl"), ("ftl_c", "fbftl+bits=8"),
    ]  # fmt: skip


def test_a_name_that_the_row_lacks_is_the_task_s():
    assert [part.b for part in parts_of(ROW, TASKS)] == 2 * [
        Side((Term("accuracy", "fbftl+bits=2"),))
    ]


def test_joined_names_take_joined_values():
    row = replace(ROW, a="a{few}", b="b{many}", over="few/many=1/2|/{noise}")
    parts = parts_of(row, TASKS)
    assert [part.a.settings + part.b.settings for part in parts] == [
        ("a1", "b2"),
        ("a", "b+bits=2"),
    ]


def test_a_side_is_a_number_a_measure_of_its_own_or_a_difference():
    row = replace(ROW, a="loss: x -> y", b="-2.5", over="")
    (part,) = parts_of(row, TASKS)
    assert part.a == Side((Term("loss", "x"), Term("accuracy", "y")))
    assert part.b == Side(number=-2.5)


@pytest.mark.parametrize(
    ("margin", "pairs"), [("", [("b", "a"), ("c", "b")]), ("falling", [("a", "b"), ("b", "c")])]
)
def test_what_rises_is_compared_step_by_step(margin, pairs):
    row = replace(
        ROW, form=ClaimForm.MONOTONE, margin=margin, a="{along}", b="", over="along=a|b|c"
    )
    parts = parts_of(row, TASKS)
    assert [(part.a.settings[0], part.b.settings[0]) for part in parts] == pairs


def test_settings_that_a_task_does_not_plan_make_no_part():
    planned = {"digits-full": replace(TASKS["digits-full"], settings=frozenset("ac"))}
    row = replace(ROW, form=ClaimForm.MONOTONE, a="{along}", b="", over="along=a|b|c")
    (part,) = parts_of(row, planned)
    assert part.a.settings + part.b.settings == ("c", "a")
    (part,) = parts_of(replace(ROW, a="a", b="{which}", over="which=b|c"), planned)
    assert part.b.settings == ("c",)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"tasks": ("digit-full",)},
            "tasks: unknown task 'digit-full'; did you mean 'digits-full'",
        ),
        ({"b": "fbftl{noises}"}, "column b: {noises} is in neither"),
        ({"over": "few/many=1"}, "column over: '1' has not a value for each of few, many"),
        ({"measure": "acuracy"}, "unknown measure 'acuracy'; did you mean 'accuracy'"),
        ({"form": ClaimForm.FORMULA, "measure": "audit"}, "unknown function 'audit'"),
    ],
)
def test_what_is_unknown_is_refused_by_row_and_column(change, sentence):
    row = replace(ROW, **change)
    with pytest.raises(UserError, match="claim x-01") as refused:
        require_known(row, parts_of(row, TASKS), {"accuracy"}, {"audited"})
    assert sentence in str(refused.value)


def test_a_margin_is_a_number():
    with pytest.raises(UserError, match="column margin: 'much' is no number"):
        _ = replace(ROW, margin="much").least


def test_a_column_may_be_absent_if_most_rows_leave_it_empty(tmp_path, root):
    text = (root / "published/claims/rivals.csv").read_text(encoding="utf-8")
    path = tmp_path / "rivals.csv"
    path.write_text(text.replace(",sides\n", "\n", 1), encoding="utf-8")
    assert {row.sides for row in read_rows(path)} == {""}
    path.write_text(text.replace(",over,", ",under,", 1), encoding="utf-8")
    with pytest.raises(UserError, match="no column over in claims"):
        read_rows(path)


def test_an_unknown_form_is_refused(tmp_path, root):
    text = (root / "published/claims/rivals.csv").read_text(encoding="utf-8")
    path = tmp_path / "rivals.csv"
    path.write_text(text.replace(",times,", ",time,"), encoding="utf-8")
    with pytest.raises(UserError, match="claim r-02, column form: unknown form 'time'; did you"):
        require_readable(path, root / "published/claims/tasks.csv")


def test_a_registry_is_refused_before_any_job(linked, monkeypatch):
    """The plan of a study that makes tables of claims reads their rows."""
    shutil.copytree(Path(__file__).parents[3] / "published", linked / "published")
    path = linked / "published" / "claims" / "fbftl.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",digits-full ", ",digit-full "))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setenv("FBFTL_STORE", str(linked / "store"))
    with pytest.raises(UserError, match="column tasks: unknown task 'digit-full'; did you mean"):
        Prepared.of_files(linked, more={"papers": "fbftl"}).plan()


@pytest.fixture(scope="module")
def planned(root: Path) -> dict[str, set[str]]:
    """Names of the settings of every study, by task."""
    config, systems = read_yaml(root / "config.yaml"), read_systems(root)
    names: dict[str, set[str]] = {}
    of_full = {Path(study.name).name.partition("-")[0] for study in read_every_full(root)}
    full = [{"size": "full", "system": name} for name in of_full]
    for more in ({"papers": "all"}, *full):
        study = resolve(config | more, systems, read_of_size(root, config | more, systems))
        for task, experiments in study.settings.items():
            names.setdefault(task, set()).update(*experiments.values())
    return names


@pytest.mark.parametrize("paper", PAPERS)
def test_every_row_names_what_studies_plan_and_code_measures(root, planned, paper):
    folder = root / "published" / "claims"
    tasks = read_tasks(folder / "tasks.csv", planned)
    rows = read_rows(folder / f"{paper}.csv")
    assert rows
    for row in rows:
        parts = parts_of(row, tasks)
        assert {part.task.name for part in parts} >= set(row.tasks), row.id
        require_known(row, parts, measures_of(paper), functions_of(paper))
        assert row.least is None or row.least >= 0


def test_every_task_says_how_many_samples_test_it(root):
    tasks = read_tasks(root / "published" / "claims" / "tasks.csv")
    assert all(task.test_samples for task in tasks.values())
    assert [task.name for task in tasks.values() if task.classes is None] == ["dialogues-full"]
