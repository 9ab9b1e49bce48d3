"""A toy full study from its file to kept results."""

import json
import subprocess

import pytest
from project import Project

RENEW = "scripts/tools/renew_results.py"

FULL = """# Seeds: 2, because this is a toy.
paper: rivals
study: {tasks: [toy-full], experiments: [toy_sweep]}
tasks:
  toy-full:
    like: rival_digits
    seeds: [100, 101]
    data: {limit: {train: 80, test: 20}}
    source: {network: {channels: [[4], [4]], fc: [16]}, samples: 256, epochs: 1}
experiments:
  toy_sweep:
    grids:
      - {method: [one_shot], message: [features], head: [lda]}
      - {method: [one_shot], message: [means], head: [ncm], plr: [0.0, 0.5]}
"""


def called(project: Project, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a Python program in a copy of the project and return what it printed."""
    return project.python(*words, PYTHONPATH="scripts")


def made(project: Project, *words: str) -> str:
    """Make the toy of a size, or plan it, and return what was printed."""
    done = called(project, "-m", "snakemake", "--cores", "2", "--config", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def kept(fresh: Project) -> Project:
    """A copy that keeps the results of the full study."""
    for file in fresh.folder.glob("studies/full/rivals*.yaml"):
        file.unlink()
    (fresh.folder / "studies/full/rivals-toy.yaml").write_text(FULL, encoding="utf-8")
    (fresh.folder / "docs/results/figures.csv").write_text("folder,figure\n", encoding="utf-8")
    made(fresh, "size=full", "system=rivals", "exact=true")
    done = called(fresh, RENEW, "papers/rivals")
    assert done.returncode == 0, done.stderr
    return fresh


def test_kept_results_have_the_key_of_every_run(kept):
    notes = kept.folder / "docs/results/papers/rivals/made.json"
    _, *rows = (kept.results / "toy-full/runs.csv").read_text().splitlines()
    keys = {row.split(",")[3] for row in rows}
    content = json.loads(notes.read_text())
    assert content["runs"].keys() == {"toy-full"}
    runs = content["runs"]["toy-full"].values()
    assert {key for of_setting in runs for key in of_setting["keys"]} == keys
    assert len(keys) == len(rows) == 6

    assert (notes.parent / "tables/claims.csv").is_file()
