"""The studies: run on a few hundred real images, and what a call says that lacks its files."""

import json
import subprocess
from typing import Any

import pandas as pd
from fbftl.features.store.manifest import read_manifest
from project import TOY, Project

TRAIN, TEST = 240, 100
FEW = {"train": TRAIN, "test": TEST}
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
    command = project.command(*arguments, study=overlay or {})
    command[command.index(TOY)] = f"studies/{study}.yaml"
    return project.python(*command[1:], **(variables or {}))


SMALL = {
    "data": {"limit": FEW},
    "source": {"samples": TRAIN, "epochs": 1, "batch_size": 32, "task": {"data": {"limit": FEW}}},
    "training": {"epochs": 2},
}
"""What makes the task of CIFAR-10 one of a few hundred images and seconds."""


def test_a_study_runs_on_a_few_hundred_images(fresh, data_folder):
    overlay = {
        "data_folder": str(data_folder),
        "seeds": [0, 1],
        "tasks": {"cifar10": SMALL},
        "experiments": {"scarcity": {"grids": [{"fraction": [1.0], "plr": [0.0, 0.5]}]}},
    }
    done = call(fresh, "cifar10", "results/cifar10/figures/scarcity.svg", overlay=overlay)
    assert done.returncode == 0, done.stdout + done.stderr
    folder = fresh.results / "cifar10"
    assert (folder / "tables" / "scarcity.csv").exists()
    described = json.loads((folder / "source.json").read_text(encoding="utf-8"))
    assert described["architecture"]["image"] == [32, 32, 3]
    counts = read_manifest(folder / "features.json").store["counts"]
    assert counts == FEW
    runs = pd.read_csv(folder / "experiments" / "scarcity.csv")
    assert sorted(zip(runs["plr"], runs["seed"], strict=True)) == [
        (0.0, 0), (0.0, 1), (0.5, 0), (0.5, 1),
    ]  # fmt: skip


def test_a_study_of_a_users_file_plans_where_it_is(fresh):
    (fresh.folder / "data").mkdir()
    rows = [
        f"{age},{job},{sex},{age > 40}" for age in range(20, 70) for job in "ab" for sex in "FM"
    ]
    table = "\n".join(["age,job,sex,income", *rows])
    (fresh.folder / "data" / "adult.csv").write_text(table, encoding="utf-8")
    files = fresh.left(files=[str(fresh.folder / "studies/adult-fade.yaml")]).files
    assert any(path.startswith("results/adult/tables/") for path in files)


def test_without_a_network_the_paper_study_says_which_files_to_put_where(fresh, tmp_path):
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
