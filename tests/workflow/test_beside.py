"""Two studies beside each other: in a folder of its own, refused, or in one folder without harm."""

import json
import re
import shutil
from collections import Counter

import yaml
from project import Project

MORE_SEEDS = {"seeds": [0, 1, 2], "replace": False}


def test_a_study_that_changes_a_task_is_refused_with_the_ways_on(finished: Project) -> None:
    done = finished.call("--dry-run", study=MORE_SEEDS)
    assert done.returncode != 0
    sentence = done.stderr.splitlines()[-1]
    assert sentence.startswith("config: tasks.digits.data.limit differs from the project's own")
    for way in ("results_folder: NAME", "another name", "replace: true"):
        assert way in sentence


def test_the_readmes_study_runs_beside_and_links_what_is_equal(finished: Project) -> None:
    text = (finished.folder / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(# my-study.*?)```", text, re.DOTALL)
    study = yaml.safe_load(block) | {"seeds": [2]}
    study["experiments"]["scarcity"]["grids"] = [{"plr": [0.0, 0.7]}]
    before = finished.science()
    finished.finish("--", "results/digits/experiments/scarcity.csv", study=study)
    assert finished.science() == before
    assert finished.planned() == Counter()
    mine = finished.folder / "my-study" / "results" / "digits"
    logs = {path.stem: path.read_text() for path in (mine / "logs").rglob("*.log")}
    linked = {name for name, text in logs.items() if "linked what an equal job" in text}
    assert linked == {"clients", "source", "extract", "network"}
    for name in ("clients.h5", "source.safetensors", "features.zarr/zarr.json"):
        assert (mine / name).samefile(finished.results / "digits" / name)
    wanted = ("--", "results/digits/experiments/scarcity.csv")
    assert finished.planned(*wanted, study=study) == Counter()


def test_a_folder_that_is_no_studys_is_refused(finished: Project) -> None:
    done = finished.call("--dry-run", study={"results_folder": "scripts"})
    assert done.returncode != 0
    assert "config: results_folder is 'scripts'; give the name of a new folder" in done.stderr


def test_a_folder_of_its_own_goes_with_no_other_directory(finished: Project) -> None:
    done = finished.call("--dry-run", "--directory", ".", study={"results_folder": "mine"})
    assert done.returncode != 0
    assert "and so does --directory; leave one of them out" in done.stderr


def test_weights_are_found_from_where_the_call_is_made(finished: Project) -> None:
    weights = finished.folder / "models" / "letters.safetensors"
    weights.parent.mkdir()
    weights.write_bytes(b"of other bytes than the digest says")
    source = {
        "kind": "load", "from": "torchvision", "name": "mobilenet_v3_small", "weights": "file",
        "file": "models/letters.safetensors", "sha256": "0" * 64,
    }  # fmt: skip
    mine = {
        "data": {"kind": "digits", "test_fraction": 0.2},
        "clients": {"partition": "iid", "samples_per_client": 8},
        "source": source,
        "features": {"cut": "features.3"},
        "head": [8],
    }
    study = {
        "results_folder": "mine",
        "study": {"tasks": ["mine"], "experiments": ["scarcity"]},
        "tasks": {"mine": mine},
    }
    sentence = finished.call("--dry-run", study=study).stderr.splitlines()[-1]
    assert "models/letters.safetensors" in sentence
    assert "sha256" in sentence.lower()
    assert "missing" not in sentence


def test_what_other_calls_have_finished_counts_in_every_call(finished: Project) -> None:
    """Sentences are tabled over a task of another study that lies there, whoever asks."""
    other = finished.results / "other" / "experiments"
    other.mkdir(parents=True)
    for name in ("scarcity.csv", "scarcity.series.csv"):
        table = (finished.results / "digits/experiments" / name).read_text(encoding="utf-8")
        (other / name).write_text(table.replace("digits,", "other,"), encoding="utf-8")
    assert finished.planned()["tabulate_sentences"] == 1
    finished.finish()
    record = finished.results / "papers/fbftl/records/tables/sentences.json"
    read = json.loads(record.read_bytes())["inputs"]
    assert {"results/other/experiments/scarcity.csv"} < read.keys()
    assert finished.planned() == Counter()
    shutil.rmtree(other)
    assert finished.planned()["tabulate_sentences"] == 1
