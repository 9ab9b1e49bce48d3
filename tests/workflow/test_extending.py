"""Every recipe of docs/extending.md, written into a copy of the project as it is printed, runs."""

import re
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from project import Project

PAGE = (Path(__file__).parents[2] / "docs/extending.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
BLOCK = re.compile(r"^`([^`\n]+\.\w+)`:\n\n```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
MOST_LINES = 25
"""Of a recipe, blank ones and those that name or fence its files left out."""

ELSEWHERE = "An upload"
"""The recipe that tests/workflow/test_own_message.py runs; it bounds its length too."""


def write(project: Project, section: str) -> None:
    """Put into a project what a section prints: files, ends of files, lines after others."""
    for path, language, text in BLOCK.findall(SECTIONS[section]):
        (project.folder / path).parent.mkdir(parents=True, exist_ok=True)
        if language == "diff":
            change(project, path, text)
        else:
            there = (project.folder / path).exists()
            project.append(path, ("\n\n" if there else "") + text)


def change(project: Project, path: str, text: str) -> None:
    """Apply a change as it is printed, part by part."""
    for part in text.split("@@\n"):
        lines = part.splitlines(keepends=True)
        old, new = ("".join(x[1:] for x in lines if x[:1] in (" ", mark)) for mark in "-+")
        project.edit(path, old, new)


def call(project: Project, *command: str) -> None:
    """Run Python in a project, which must end well."""
    done = project.python(*command, PYTHONPATH="scripts")
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_recipe_is_long():
    for title, text in SECTIONS.items():
        if title == ELSEWHERE:
            continue
        fences = re.compile(r"^(```.*|`[^`\n]+`:|@@)$")
        lines = [line for line in text.splitlines() if line.strip() and not fences.match(line)]
        assert len(lines) <= MOST_LINES, title


NETWORK = {"kind": "mlp", "fc": [8], "cut": "relu_fc1"}
LOCAL = {"rounds": 2, "local_batch": 8}
MADE = {
    "study": {"tasks": ["digits"], "experiments": ["clipped", "attacked", "solved"]},
    "tasks": {"digits": {"networks": {"small": NETWORK}, "methods": {"fedclip": LOCAL}}},
    "experiments": {
        "clipped": {"grids": [{"method": ["fedclip"], "network": ["small"], "clip": [0.1, 1e-3]}]},
        "attacked": {"tasks": None, "grids": [{"method": ["fedclip"], "network": ["small"]}]},
        "solved": {"grids": [{"method": ["one_shot"], "message": ["means"], "head": ["ncm"]}]},
    },
}  # fmt: skip
WITH_HEAD = {"method": ["one_shot"], "message": ["statistics"], "head": ["unshrunk", "lda"]}


def of_head(study: dict[str, Any], *more: dict[str, Any]) -> dict[str, Any]:
    """Return a study whose experiment `solved` has further grids."""
    grids = [*study["experiments"]["solved"]["grids"], *more]
    return study | {"experiments": study["experiments"] | {"solved": {"grids": grids}}}


def test_a_method_an_axis_a_head_an_attack_and_a_table(finished):
    runs = finished.stored()
    for section in ("A method", "An axis", "An attack", "A table or a figure"):
        write(finished, section)
    record = "scripts/fbftl/study/methods/fbftl.py"
    finished.edit(record, "FBFTL = ", TOY_AXIS)
    finished.edit(record, "*OF_FEATURES", "*OF_FEATURES, ToyAxes")
    assert finished.planned() == Counter()  # nothing that was made is made again
    write(finished, "A head")
    study = of_head(MADE, WITH_HEAD)
    finished.finish(study=study)
    assert len(finished.stored() - runs) == 2 * 2 * (2 + 3)  # documents and ledgers of both seeds
    tables = finished.results / "digits" / "tables"
    assert pd.read_csv(tables / "clip.csv")["clip"].tolist() == [0.001, 0.1]
    assert "membership" in pd.read_csv(tables / "attacked_seeds.csv").columns
    solved = pd.read_csv(tables / "sweep_solved.csv")
    assert {"unshrunk", "lda", "ncm"} == set(solved["head"])
    call(finished, "scripts/tools/describe_settings.py")
    wrong = of_head(MADE, WITH_HEAD | {"message": ["means"], "head": ["unshrunk"]})
    assert "asks for head unshrunk from means" in finished.call("--dry-run", study=wrong).stderr


def test_a_backbone(finished):
    if find_spec("torchvision") is None:
        pytest.skip("torchvision is not installed")
    write(finished, "A backbone")
    laid = yaml.safe_load((finished.folder / "studies/resnet-digits.yaml").read_text("utf-8"))
    finished.finish("results/resnet/experiments/scarcity.csv", study=laid)
    assert len(pd.read_csv(finished.results / "resnet/experiments/scarcity.csv")) == 4


def test_a_paper_with_five_claims_is_three_files(finished):
    write(finished, "A paper")
    study = {"papers": "ants"}
    finished.finish(study=study)
    claims = pd.read_csv(finished.results / "papers/ants/tables/claims.csv")
    assert claims["claim"].tolist() == [f"ants-0{number}" for number in range(1, 6)]
    verdicts = dict(zip(claims["claim"], claims["verdict"], strict=True))
    assert (verdicts["ants-04"], verdicts["ants-05"]) == ("confirmed", "not testable here")
    formulas = "scripts/fbftl/papers/ants/claims.py"
    finished.edit(formulas, "int(case.a) / int(case.b)", "int(case.a) / int(case.b) / 2")
    assert finished.planned(study=study)["results_papers-ants"] == 1


TOY_AXIS = """from fbftl.study.axes import Axes


class ToyAxes(Axes):
    \"\"\"Axes that nothing reads.

    toy: what a toy axis means.
    \"\"\"

    toy: int = 3


FBFTL = """
"""An axis more of a method that has runs."""


OF_ONES_OWN = {
    "study": {"tasks": ["digits"], "experiments": ["losses", "once"]},
    "experiments": {
        "losses": {"grids": [{"fraction": [1.0, 0.5], "plr": [0.0, 0.5]}]},
        "once": {"grids": [{"fraction": [1.0]}]},
    },
}
"""Two more experiments, whose runs the toy study has; in the second nothing varies."""


def test_an_experiment_of_ones_own_ends_in_a_table_and_a_figure(finished):
    assert finished.left(OF_ONES_OWN).runs == 0
    finished.finish("--report", "results/report.html", "--report-after-run", study=OF_ONES_OWN)
    digits = finished.results / "digits"
    assert len(pd.read_csv(digits / "tables/sweep_losses.csv")) == 4
    assert len(pd.read_csv(digits / "tables/sweep_once.csv")) == 1
    assert not (digits / "figures/sweep_once.svg").exists()
    assert not (digits / "tables/scarcity.csv").exists(), "a table of a study that asked for it"
    index = (finished.results / "index.html").read_text("utf-8")
    report = (finished.results / "report.html").read_text("utf-8")
    for result in (
        "tables/sweep_losses.html",
        "figures/sweep_losses.svg",
        "tables/sweep_once.html",
    ):
        assert result in index
        assert result in report
