"""What a data set is known to hold before any job, and what of it is refused there."""

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fbftl.data import datasets
from fbftl.data.datasets import downloads
from fbftl.data.datasets.base import MAX_CLASSES
from fbftl.ground.errors import UserError
from PIL import Image
from unit.data.test_datasets_idx import encode

LABELS = {"train": np.arange(30) % 5, "test": np.arange(8) % 3}
"""Class 4 is in the training split only."""


def in_parquet(folder: Path, labels: dict[str, np.ndarray], **options: Any) -> dict[str, Any]:
    """Write a Parquet file of tiny images per split and return its data block."""
    picture = folder / "picture.png"
    Image.fromarray(np.zeros((4, 4, 3), np.uint8)).save(picture)
    for split, of_split in labels.items():
        image = [{"bytes": picture.read_bytes()} for _ in of_split]
        pq.write_table(
            pa.table({"img": image, "label": of_split}), folder / f"{split}.pq", **options
        )
    return {"kind": "parquet"} | {split: f"{split}.pq" for split in labels}


def in_folders(folder: Path, labels: dict[str, np.ndarray]) -> dict[str, Any]:
    """Write an image folder per split and return its data block."""
    for split, of_split in labels.items():
        for number, label in enumerate(of_split):
            class_folder = folder / split / "abcde"[label]
            class_folder.mkdir(parents=True, exist_ok=True)
            Image.fromarray(np.zeros((4, 4, 3), np.uint8)).save(class_folder / f"{number}.png")
    return {"kind": "folder"} | {split: split for split in labels}


def in_hdf5(folder: Path, labels: dict[str, np.ndarray]) -> dict[str, Any]:
    """Write a federated file of four clients per split and return its data block."""
    with h5py.File(folder / "clients.h5", "w") as file:
        for split, of_split in labels.items():
            for client, part in enumerate(np.array_split(of_split, 4)):
                group = f"{split}/examples/{client}" if len(labels) > 1 else f"examples/{client}"
                file[f"{group}/pixels"] = np.zeros((len(part), 4, 4), np.uint8)
                file[f"{group}/label"] = part
    return {"kind": "federated", "train": "clients.h5"}


def in_idx(folder: Path, labels: dict[str, np.ndarray]) -> dict[str, Any]:
    """Write IDX files per split and return their data block."""
    for split, of_split in labels.items():
        (folder / f"{split}.images").write_bytes(encode(np.zeros((len(of_split), 4, 4))))
        (folder / f"{split}.labels").write_bytes(encode(of_split))
    files = {split: {"images": f"{split}.images", "labels": f"{split}.labels"} for split in labels}
    return {"kind": "idx"} | files


KINDS = [in_parquet, in_folders, in_hdf5, in_idx]
CHOICES: list[dict[str, Any]] = [
    {},
    {"portion": [0.2, 0.55]},
    {"limit": {"train": 7}},
    {"portion": [0.5, 1.0], "limit": {"train": 100}},
]


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("own_test", [True, False])
@pytest.mark.parametrize("write", KINDS)
def test_counts_are_those_of_the_data_read(tmp_path, write, own_test, choice):
    labels = LABELS if own_test else {"train": LABELS["train"]}
    spec = write(tmp_path, labels) | {"test_fraction": 0.3, "seed": 1} | choice
    datasets.check(spec, tmp_path)
    assert datasets.training_count(spec, tmp_path) == len(datasets.load(spec, tmp_path).train)


@pytest.mark.parametrize("size", [None, 3])
@pytest.mark.parametrize("write", KINDS)
def test_the_images_shape_is_that_of_the_data_read(tmp_path, write, size):
    encoded = write in (in_parquet, in_folders)
    spec = write(tmp_path, LABELS) | ({"size": size} if encoded else {})
    shape = datasets.image(spec, tmp_path)
    assert shape == datasets.load(spec, tmp_path).train.inputs.shape[1:]
    assert datasets.class_count(spec, tmp_path) == 5
    assert datasets.class_count(spec | {"classes": [0, 2]}, tmp_path) == 2


@pytest.mark.parametrize("write", KINDS)
def test_classes_are_those_of_the_data_read(tmp_path, write):
    spec = write(tmp_path, LABELS) | {"seed": 0}
    names = datasets.load(spec, tmp_path).classes
    for wanted in ([4, 0], [names[2], names[1]]):
        datasets.check(spec | {"classes": wanted}, tmp_path)
    for wanted in ([0, 5], [-1, 0], [2, 2], ["f", 0]):
        with pytest.raises(UserError, match="choose different classes from 0 to 4, or by their"):
            datasets.check(spec | {"classes": wanted}, tmp_path)


def test_a_test_fraction_that_leaves_one_side_empty_is_refused(tmp_path):
    spec = in_folders(tmp_path, {"train": LABELS["train"]}) | {"test_fraction": 0.01}
    with pytest.raises(UserError, match=r"data.test_fraction is 0.01, which leaves 0 of 30"):
        datasets.training_count(spec, tmp_path)


@pytest.mark.parametrize("statistics", [True, False])
def test_a_label_beyond_all_classes_of_a_parquet_file_is_refused(tmp_path, statistics):
    labels = {"train": np.array([0, 1, MAX_CLASSES])}
    spec = in_parquet(tmp_path, labels, write_statistics=statistics)
    for look in (datasets.check, datasets.load):
        with pytest.raises(UserError, match=rf"train.pq holds the class {MAX_CLASSES}; count"):
            look(spec | {"test_fraction": 0.4}, tmp_path)


def test_only_federated_data_name_their_clients(tmp_path):
    assert datasets.named_clients(in_hdf5(tmp_path, LABELS), tmp_path) == 4
    assert datasets.named_clients({"kind": "digits"}, None) is None


@pytest.mark.parametrize("name", downloads.SIZES)
def test_torchvision_s_sets_are_known_without_them(name, tmp_path):
    spec = {"kind": "torchvision", "name": name, "seed": 0}
    train = 50_000 if "CIFAR" in name else 60_000
    assert datasets.training_count(spec | {"portion": [0.0, 0.1]}, tmp_path) == train // 10
    last = 99 if name == "CIFAR100" else 9
    datasets.check(spec | {"classes": [last, "unknown before a job"]}, tmp_path)
    with pytest.raises(UserError, match=rf"choose different classes from 0 to {last}$"):
        datasets.check(spec | {"classes": [0, last + 1]}, tmp_path)
