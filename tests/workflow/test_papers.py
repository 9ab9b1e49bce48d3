"""The papers' studies in one call: toy systems beside the default study, each with its own."""

from typing import Any

import pytest
import yaml
from project import Project

PAPERS = {"ant": "ants", "bee": "bees", "hive": "bees"}
"""Toy systems, each with its paper."""


def toy_system(name: str, seeds: list[int]) -> dict[str, Any]:
    """Return a study of one small task and one experiment of two settings."""
    task = {
        "seeds": seeds,
        "data": {"kind": "digits", "limit": {"train": 80, "test": 20}},
        "source": {
            "kind": "pretrain",
            "image": [8, 8, 1],
            "network": {"name": "vgg", "channels": [[4], [4]], "fc": [16]},
            "samples": 256,
            "epochs": 1,
        },
        "features": {"cut": "relu_fc1"},
        "head": [8],
        "training": {"epochs": 1},
    }
    return {
        "paper": PAPERS[name],
        "study": {"tasks": [f"{name}-digits"], "experiments": [f"{name}_sweep"]},
        "tasks": {f"{name}-digits": task},
        "experiments": {f"{name}_sweep": {"grids": [{"plr": [0.0, 0.5]}]}},
    }


@pytest.fixture
def toys(fresh: Project) -> Project:
    """A fresh copy with two more papers: `ants` has one system, `bees` two."""
    systems = {"ant": [3], "bee": [0, 1], "hive": [2, 3, 5]}
    for name, seeds in systems.items():
        text = yaml.safe_dump(toy_system(name, seeds))
        (fresh.folder / "studies" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return fresh


def test_the_systems_of_a_paper_run_in_one_call(toys):
    toys.finish("--config", "papers=bees")
    for task, seeds in (("bee-digits", {0, 1}), ("hive-digits", {2, 3, 5})):
        folder = toys.results / task / "experiments"
        tables = [path for path in folder.glob("*.csv") if not path.name.endswith(".series.csv")]
        (table,) = [path.read_text(encoding="utf-8").splitlines() for path in tables]
        column = table[0].split(",").index("seed")
        assert {int(row.split(",")[column]) for row in table[1:]} == seeds
    assert not (toys.results / "digits").exists()
    assert not (toys.results / "papers" / "fbftl").exists()


def test_a_study_of_ones_own_makes_no_tables_of_a_paper(fresh):
    """An experiment of one's own is of no paper; one of a paper's ends in its claims."""
    tables = {f"tables/{name}.csv" for name in ("methods", "language", "label_privacy")}
    figures = {f"figures/{name}.svg" for name in ("packet_loss", "retransmission")}
    of_paper = {f"results/papers/fbftl/{path}" for path in tables | figures}
    mine = {"experiments": {"mine": {"grids": [{"plr": [0.0, 0.5]}]}}}
    for experiment, of_paper_made in (("mine", 0), ("scarcity", 1)):
        study = mine | {"study": {"tasks": ["digits"], "experiments": [experiment]}}
        made = fresh.left(study).files
        assert f"results/digits/experiments/{experiment}.csv" in made
        assert ("results/papers/fbftl/tables/claims.csv" in made) == of_paper_made
        assert not of_paper & set(made)
    assert of_paper <= set(fresh.left({"papers": "fbftl"}).files)
