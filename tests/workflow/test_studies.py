"""The studies: run on a few hundred real images, and what a call says that lacks its files."""

import json
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from fbftl.features.store.manifest import read_manifest
from project import Project, environment

TRAIN, TEST = 240, 100
FEW = {"train": TRAIN, "test": TEST}
IMAGES = {"mnist": [28, 28, 1], "cifar10": [32, 32, 3]}
NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")
"""A proxy at a port where nobody listens."""


def call(
    project: Project,
    study: str,
    *arguments: str,
    overlay: dict[str, Any] | None = None,
    variables: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a study of the project, with values laid over it, and wait for its end."""
    laid_over = project.folder / "overlay.yaml"
    laid_over.write_text(yaml.safe_dump(overlay or {}), encoding="utf-8")
    command = project.command(*arguments)
    first = command.index("--configfile") + 1
    command[first : first + 1] = [f"studies/{study}.yaml", laid_over.name]
    return subprocess.run(
        command,
        cwd=project.folder,
        env=environment() | (variables or {}),
        capture_output=True,
        text=True,
    )


def cut_down(study: dict[str, Any], task: str) -> dict[str, Any]:
    """Return what makes a study of one task one of a few hundred images and seconds."""
    source: dict[str, Any] = {"samples": TRAIN, "epochs": 1, "batch_size": 32}
    if "task" in study["tasks"][task]["source"]:
        source["task"] = {"data": {"limit": FEW}}
    changed = {"data": {"limit": FEW}, "source": source, "training": {"epochs": 2}}
    scarcity = {"grids": [{"fraction": [1.0], "plr": [0.0, 0.5]}]}
    return {
        "seeds": [0, 1],
        "tasks": {task: changed},
        "experiments": {"scarcity": scarcity},
    }


def shown(done: subprocess.CompletedProcess[str], tasks: Iterable[str]) -> bool:
    """Tell whether a plan makes a table or a figure of some task."""
    tasks_shown = re.findall(r"results/([^/\s]+)/(?:tables|figures)/", done.stdout + done.stderr)
    return bool(set(tasks) & set(tasks_shown))


@pytest.mark.parametrize("study", IMAGES)
def test_a_study_runs_on_a_few_hundred_images(
    study: str, fresh: Project, data_folder: Path
) -> None:
    written = yaml.safe_load((fresh.folder / f"studies/{study}.yaml").read_text(encoding="utf-8"))
    overlay = cut_down(written, study) | {"data_folder": str(data_folder)}
    wanted = [f"results/{study}/{name}" for name in ("tables/scarcity.csv", "figures/scarcity.svg")]
    done = call(fresh, study, *wanted, overlay=overlay)
    assert done.returncode == 0, done.stdout + done.stderr

    folder = fresh.results / study
    described = json.loads((folder / "source.json").read_text(encoding="utf-8"))
    assert described["architecture"]["image"] == IMAGES[study]
    counts = read_manifest(folder / "features.json").store["counts"]
    assert counts == FEW
    runs = pd.read_csv(folder / "experiments" / "scarcity.csv")
    assert sorted(zip(runs["plr"], runs["seed"], strict=True)) == [
        (0.0, 0), (0.0, 1), (0.5, 0), (0.5, 1),
    ]  # fmt: skip
    assert set(runs["offered"]) == {TRAIN}
    complete = runs["plr"] == 0
    assert set(runs["received"][complete]) == {TRAIN}
    assert runs["received"][~complete].between(1, TRAIN - 1).all()
    assert runs["test_accuracy"].between(0, 1).all()


def test_a_study_of_a_users_file_plans_where_it_is(fresh: Project) -> None:
    (fresh.folder / "data").mkdir()
    rows = [
        f"{age},{job},{sex},{age > 40}" for age in range(20, 70) for job in "ab" for sex in "FM"
    ]
    table = "\n".join(["age,job,sex,income", *rows])
    (fresh.folder / "data" / "adult.csv").write_text(table, encoding="utf-8")
    done = call(fresh, "adult-fade", "--dry-run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert shown(done, ["adult"])


def test_without_a_network_the_paper_study_says_which_files_to_put_where(
    fresh: Project, tmp_path: Path
) -> None:
    home = tmp_path / "torch"
    variables = NO_NETWORK | {"TORCH_HOME": str(home)}
    done = call(fresh, "cifar10-vgg16", "--until", "clients", "source", variables=variables)
    assert done.returncode != 0
    printed = done.stdout + done.stderr
    assert (
        "fetch https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz, put it in data" in printed
    )
    assert f"put it at {home}/hub/checkpoints/vgg16-397923af.pth" in printed
    assert all(".part/" in path or path == "README.md" for path in fresh.science())


def test_a_missing_data_folder_is_one_sentence_before_any_job(fresh: Project) -> None:
    done = call(fresh, "mnist", overlay={"data_folder": "nowhere"})
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1] == (
        "data.train.images: nowhere/mnist/t10k-images-idx3-ubyte.gz is missing; put it there or "
        "correct data_folder or data.train.images"
    )
    assert fresh.science().keys() == {"README.md"}
