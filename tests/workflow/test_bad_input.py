"""Bad input stops before any job, with one sentence that says what, where and what to do."""

import gzip
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from project import Project

SNAKEMAKE_SAYS = ("Using workflow specific profile", "Config file ")
"""How the lines begin that Snakemake itself prints while it reads a configuration."""


def digits(**blocks: Any) -> dict[str, Any]:
    """Return an overlay on the toy study's task."""
    return {"tasks": {"digits": blocks}}


def grid(**axes: list[Any]) -> dict[str, Any]:
    """Return an overlay that replaces the toy study's grid."""
    return {"experiments": {"scarcity": {"grids": [axes]}}}


def own_task(**blocks: Any) -> dict[str, Any]:
    """Return an overlay with a task of its own instead of the toy study's."""
    source = {"kind": "pretrain", "image": [8, 8, 1]}
    task = {"data": {"kind": "digits"}, "source": source, "features": {"cut": "fc1"}}
    return {"study": {"tasks": ["own"]}, "tasks": {"own": task | blocks}}


def refusal(project: Project, study: dict[str, Any]) -> str:
    """Return the one sentence with which a call refuses a study, having written nothing."""
    done = project.call(study=study)
    printed = (done.stdout + done.stderr).splitlines()
    sentences = [line for line in printed if line and not line.startswith(SNAKEMAKE_SAYS)]
    assert done.returncode not in (0, None)
    assert len(sentences) == 1, printed
    assert project.science().keys() == {"README.md"}
    assert not list((project.folder / ".snakemake").glob("metadata/*"))
    return sentences[0]


CONFIGURATIONS = {
    "misspelt key": (digits(trainig={"epochs": 3}), "tasks.digits.trainig", "'training'"),
    "misspelt axis": (grid(prl=[0.5]), "prl", "'plr'"),
    "packet loss rate 1.5": (grid(plr=[1.5]), "plr.0 is 1.5", "less than 1"),
    "fraction 0": (grid(fraction=[0]), "fraction.0 is 0", "more than 0"),
    "no samples per client": (
        digits(clients={"samples_per_client": 0}),
        "tasks.digits.clients.samples_per_client is 0",
        "at least 1",
    ),
    "33 bits": (grid(bits=[33]), "bits.0 is 33", "choose among"),
    "equal bytes from a GPU": (
        {"exact": True, "device": "cuda"},
        "exact is true, but device is cuda",
        "'exact: auto' accepts",
    ),
    "unknown method": (grid(method=["fedsgd"]), "method.0 is 'fedsgd'", "choose among"),
    "a number that YAML reads as text": (
        digits(training={"learning_rate": "1e-5"}),
        "tasks.digits.training.learning_rate is '1e-5'",
        "1.0e-5",
    ),
    "a task that is not defined": (
        {"study": {"tasks": ["digit"]}},
        "study.tasks names the task 'digit'",
        "'digits'",
    ),
    "an experiment for a task that is not defined": (
        {"experiments": {"scarcity": {"tasks": ["mnist"]}}},
        "experiments.scarcity.tasks names the task 'mnist'",
        "digits",
    ),
    "a data file without a data folder": (
        own_task(data={"kind": "parquet", "train": "t.parquet"}),
        "t.parquet",
        "data_folder",
    ),
    "weights that no library offers": (
        own_task(source={"kind": "load", "from": "transformers", "weights": "file"}),
        "source.weights is 'file'",
        "choose published or random",
    ),
}
"""A fault laid over the toy study, what the sentence must name, and the remedy in it."""


@pytest.mark.parametrize("fault", CONFIGURATIONS)
def test_a_faulty_configuration(untouched: Project, fault: str) -> None:
    study, what, remedy = CONFIGURATIONS[fault]
    sentence = refusal(untouched, study)
    assert what in sentence
    assert remedy in sentence


def idx_file(path: Path, count: int, axes: tuple[int, ...], cut: int = 0) -> str:
    """Write a gzipped IDX file, `cut` bytes short, and return its name."""
    header = struct.pack(f">BBBB{1 + len(axes)}I", 0, 0, 8, 1 + len(axes), count, *axes)
    packed = gzip.compress(header + bytes(count * int(np.prod(axes))))
    path.write_bytes(packed[: len(packed) - cut])
    return path.name


def truncated_gzip(folder: Path) -> tuple[dict[str, Any], str]:
    files = {
        "images": idx_file(folder / "images.gz", 10, (8, 8), cut=9),
        "labels": idx_file(folder / "labels.gz", 10, ()),
    }
    return own_task(data={"kind": "idx", "train": files}), "images.gz"


def missing_file(folder: Path) -> tuple[dict[str, Any], str]:
    return own_task(data={"kind": "parquet", "train": "train.parquet"}), "train.parquet is missing"


def folder_without_images(folder: Path) -> tuple[dict[str, Any], str]:
    (folder / "pictures" / "cat").mkdir(parents=True)
    (folder / "pictures" / "cat" / "notes.txt").write_text("no picture")
    return own_task(data={"kind": "folder", "train": "pictures"}), "pictures"


def clients_without_groups(folder: Path) -> tuple[dict[str, Any], str]:
    with h5py.File(folder / "clients.h5", "w") as file:
        file["pixels"] = np.zeros((4, 8, 8), np.uint8)
    return own_task(data={"kind": "federated", "train": "clients.h5"}), "no group 'examples'"


def client_without_labels(folder: Path) -> tuple[dict[str, Any], str]:
    with h5py.File(folder / "clients.h5", "w") as file:
        file["examples/anna/pixels"] = np.zeros((4, 8, 8), np.uint8)
        file["examples/anna/label"] = np.zeros(4, np.int64)
        file["examples/bert/pixels"] = np.zeros((4, 8, 8), np.uint8)
    return own_task(data={"kind": "federated", "train": "clients.h5"}), "bert"


def wrong_digest(folder: Path) -> tuple[dict[str, Any], str]:
    (folder / "weights.safetensors").write_bytes(b"something else")
    source = {
        "kind": "load",
        "from": "torchvision",
        "name": "vgg16",
        "weights": "file",
        "file": str(folder / "weights.safetensors"),
        "sha256": "0" * 64,
    }
    return own_task(source=source), "weights.safetensors has sha256 "


def missing_weights(folder: Path) -> tuple[dict[str, Any], str]:
    study, _ = wrong_digest(folder)
    (folder / "weights.safetensors").unlink()
    return study, "weights.safetensors does not exist"


def missing_source_data(folder: Path) -> tuple[dict[str, Any], str]:
    data = {"kind": "folder", "train": "letters"}
    source = {"kind": "pretrain", "image": [8, 8, 1], "task": {"data": data}}
    return own_task(source=source), "letters is missing"


@pytest.mark.parametrize(
    "fault",
    [
        missing_file,
        truncated_gzip,
        folder_without_images,
        clients_without_groups,
        client_without_labels,
        wrong_digest,
        missing_weights,
        missing_source_data,
    ],
)
def test_a_faulty_file(
    untouched: Project, tmp_path: Path, fault: Callable[[Path], tuple[dict[str, Any], str]]
) -> None:
    study, what = fault(tmp_path)
    assert what in refusal(untouched, study | {"data_folder": str(tmp_path)})


def test_a_configuration_that_is_no_yaml(untouched: Project) -> None:
    (untouched.folder / "broken.yaml").write_text("study: [digits\n")
    done = untouched.call("--configfile", "broken.yaml")
    assert "not valid JSON or YAML" in done.stderr
    assert done.returncode != 0
    assert untouched.science().keys() == {"README.md"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("again: &all {below: *all}", "an alias is below its own anchor"),
        ("device: cpu", "the key 'device' is given twice"),
    ],
)
def test_a_fault_of_config_yaml_itself_is_a_sentence(
    fresh: Project, text: str, sentence: str
) -> None:
    """Snakemake reads that file with the Snakefile, so ours may read it first."""
    fresh.append("config.yaml", f"\n{text}\n")
    done = fresh.call("--dry-run")
    printed = done.stdout + done.stderr
    assert done.returncode == 1
    assert f"config.yaml cannot be read as YAML: {sentence}" in printed
    assert "Traceback" not in printed
