"""One more method, axis or table, as docs/adding-a-method.md prints them: what they plan."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from project import Project, environment

PAGE = (Path(__file__).parents[2] / "docs/adding-a-method.md").read_text(encoding="utf-8")
PRINTED = dict(
    re.findall(r"^`([^`\n]+\.\w+)`[^\n]*:\n\n```\w+\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
)
"""What the page prints of each file, by its path."""

STUDY = PRINTED.pop("prototypes.yaml")
TABLE = (
    "scripts/fbftl/plan/results/rivals.py",
    "scripts/tables/tabulate_pull.py",
    "rules/captions/pull.rst",
)
METHOD = PRINTED.keys() - set(TABLE)

BEFORE = {
    "study": {"tasks": ["digits"], "experiments": ["methods", "scarcity"]},
    "experiments": {"methods": {"grids": [{"method": ["ftl_c", "fbftl"]}]}},
}
"""What the toy study becomes before the page's method is there."""


def with_method() -> dict[str, Any]:
    """Return that study with the page's method among its methods, and the page's experiments."""
    study = yaml.safe_load(STUDY)
    compared = {"methods": {"grids": [{"method": ["ftl_c", "fbftl", "prototypes"]}]}}
    experiments = [*BEFORE["study"]["experiments"], *study["study"]["experiments"]]
    return {
        "study": {"tasks": ["digits"], "experiments": experiments},
        "experiments": study["experiments"] | compared,
    }


ADDED = {"train", "results_digits", "results_papers-fbftl", "results_index", "all"}
"""Jobs of what the page's method adds, and of what shows it; no others."""


@pytest.fixture
def compared(finished: Project) -> Project:
    """A copy in which two methods have been compared."""
    finished.finish(study=BEFORE)
    return finished


def write(project: Project, paths: Iterable[str]) -> None:
    """Put into a project what the page prints: new files, and the end of those that are there."""
    for path in paths:
        (project.folder / path).parent.mkdir(parents=True, exist_ok=True)
        project.append(path, ("\n\n" if (project.folder / path).exists() else "") + PRINTED[path])


def call(project: Project, *command: str) -> None:
    """Run Python in a project, which must end well."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=project.folder,
        env=environment() | {"PYTHONPATH": "scripts"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_adds_a_method_by_its_folder_its_record_and_its_test() -> None:
    assert {
        *(f"scripts/fbftl/methods/prototypes/{name}.py" for name in ("__init__", "learner", "run")),
        "scripts/fbftl/study/methods/prototypes.py",
        "tests/unit/methods/prototypes/test_prototypes.py",
    } == METHOD
    lines = [line for path in METHOD for line in PRINTED[path].splitlines() if line.strip()]
    assert len(lines) < 120
    entry = PRINTED["scripts/fbftl/plan/results/rivals.py"].splitlines()
    assert len(entry) <= 5


def test_the_pages_method_and_table_plan_what_they_add_and_run(compared: Project) -> None:
    write(compared, METHOD)
    assert compared.planned(study=BEFORE) == Counter()
    write(compared, TABLE)
    assert set(compared.planned(study=with_method())) == ADDED

    compared.finish(study=with_method())
    assert compared.planned(study=with_method()) == Counter()
    tables = compared.results / "digits/tables"
    methods = pd.read_csv(tables / "methods.csv")
    assert methods["method"].tolist() == ["ftl_c", "fbftl", "prototypes"]
    assert "Prototypes" in (tables / "methods.md").read_text("utf-8")
    assert "#8c510a" in (compared.results / "digits/figures/methods.svg").read_text("utf-8").lower()
    assert pd.read_csv(tables / "pull.csv")["prototype_pull"].tolist() == [0.0, 0.1, 1.0]
    key = compared.runs()["prototypes+prototype_pull=1.0", "0"]
    ledger = compared.results / f"store/runs/{key}.parquet"
    parts = set(pd.read_parquet(ledger).query("direction == 'up'")["part"])
    assert parts == {"statistics", "update"}

    call(compared, "scripts/tools/describe_settings.py")
    tests = ("tests/unit/methods/prototypes", "tests/unit/study/test_pages.py")
    call(compared, "-m", "pytest", "-n", "0", *tests)
    refused = {
        "experiments": {"scarcity": {"grids": [{"method": ["fbftl"], "prototype_pull": [1.0]}]}}
    }
    done = compared.call("--dry-run", study=refused)
    assert "prototype_pull" in done.stderr
    assert "prototypes" in done.stderr


TOY_AXIS = """class ToyAxes(Axes):
    \"\"\"Axes that nothing reads.

    toy: what a toy axis means.
    \"\"\"

    toy: int = 3


RECORD = """


def test_a_new_axis_plans_nothing_until_it_is_asked_for(finished: Project) -> None:
    record = "scripts/fbftl/study/methods/fbftl.py"
    finished.edit(record, "import AxisValues\n", "import Axes, AxisValues\n")
    finished.edit(record, "RECORD = ", TOY_AXIS)
    finished.edit(record, "*OF_FEATURES", "*OF_FEATURES, ToyAxes")
    assert finished.planned() == Counter()
    grid = {"fraction": [1.0, 0.5], "plr": [0.0, 0.5]}
    study = {"experiments": {"scarcity": {"grids": [grid, {"toy": [4]}]}}}
    planned = finished.planned(study=study)
    assert (planned["train"], planned["extract"]) == (2, 0)


OF_ONES_OWN = {
    "study": {"tasks": ["digits"], "experiments": ["scarcity", "losses", "once"]},
    "experiments": {
        "losses": {"grids": [{"fraction": [1.0, 0.5], "plr": [0.0, 0.5]}]},
        "once": {"grids": [{"fraction": [1.0]}]},
    },
}
"""Two more experiments, whose runs the toy study has; in the second nothing varies."""


def test_an_experiment_of_ones_own_ends_in_a_table_and_a_figure(finished: Project) -> None:
    assert finished.planned(study=OF_ONES_OWN)["train"] == 0
    finished.finish("--report", "results/report.html", "--report-after-run", study=OF_ONES_OWN)
    assert finished.planned(study=OF_ONES_OWN) == Counter()
    digits = finished.results / "digits"
    table = pd.read_csv(digits / "tables/sweep_losses.csv")
    runs = pd.read_csv(digits / "experiments/losses.csv")
    means = runs.groupby(["fraction", "plr"])["test_accuracy"].mean()
    tabulated = table.set_index(["fraction", "plr"])["test_accuracy"]
    assert tabulated.sort_index().tolist() == pytest.approx(means.sort_index().tolist())
    assert len(pd.read_csv(digits / "tables/sweep_once.csv")) == 1
    assert not (digits / "figures/sweep_once.svg").exists()
    assert not (digits / "tables/sweep_scarcity.csv").exists()
    index = (finished.results / "index.html").read_text("utf-8")
    report = (finished.results / "report.html").read_text("utf-8")
    for result in (
        "tables/sweep_losses.html",
        "figures/sweep_losses.svg",
        "tables/sweep_once.html",
    ):
        assert result in index
        assert result in report
