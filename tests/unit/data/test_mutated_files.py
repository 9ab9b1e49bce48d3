"""Mutated Parquet and HDF5: each is read as it says or refused in one sentence.

What is read is compared with what another, plain reader finds in the same file. As in
`test_mutated_data`, `FBFTL_MUTATIONS=1500 pytest FILE` makes 1,500 of each kind.
"""

import io
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fbftl.data.datasets import check, class_count, image, load, training_count
from fbftl.data.datasets.base import Dataset
from fbftl.ground.errors import UserError
from PIL import Image
from unit.data.test_mutated_data import MUTATIONS, damaged
from unit.study.test_fuzz_config import require_sentence

LABELS = [-1, 0, 1, 2, 255, 256, 2**31, 2**63 - 1]
IDS = ["0", "f_01", "a b", "\u00e9", "x" * 129, ".", "test"]


def seeds(block: int) -> range:
    """Return the seeds of a block, a tenth of all."""
    return range(block, MUTATIONS, 10)


def mostly(rng: random.Random, usual: Any, *others: Any) -> Any:
    """Return the usual value, or one of the others in a fiftieth of the calls."""
    return rng.choice(others) if rng.random() < 0.02 else usual


def seldom_damaged(content: bytes, rng: random.Random) -> bytes:
    """Return the bytes, damaged in a third of the calls: much of what is written is to be read."""
    return damaged(content, rng) if rng.random() < 1 / 3 else content


def read(spec: Mapping[str, Any], folder: Path) -> Dataset | None:
    """Return what is read as the plan expects it, None if it is refused in a sentence."""
    try:
        check(spec, folder)
        planned = training_count(spec, folder), class_count(spec, folder)
        shape = image(spec, folder)
        dataset = load(spec, folder)
        shapes = {samples.inputs[0 : len(samples)].shape[1:] for _, samples in dataset}
    except UserError as error:
        require_sentence(error)
        return None
    assert planned == (len(dataset.train), len(dataset.classes))
    assert shape is None or shapes == {shape}
    for _, samples in dataset:
        assert 0 <= samples.labels.min() <= samples.labels.max() < len(dataset.classes)
    return dataset


def png(rng: random.Random) -> bytes:
    file = io.BytesIO()
    Image.new(rng.choice(["L", "RGB"]), (4, 4), rng.randrange(256)).save(file, "PNG")
    return file.getvalue()


def parquet_images(rng: random.Random) -> bytes:
    """Return a file of images in Hugging Face's layout, some of its parts replaced."""
    count = mostly(rng, rng.randint(1, 6), 0)
    encoded = [mostly(rng, png(rng), None, b"", damaged(png(rng), rng)) for _ in range(count)]
    rows = [mostly(rng, {"bytes": content, "path": None}, None) for content in encoded]
    labels = [mostly(rng, rng.randrange(3), None, *LABELS) for _ in range(count)]
    columns = {
        mostly(rng, "img", "image", "label"): mostly(rng, pa.array(rows), pa.array(encoded)),
        mostly(rng, "label", "class"): pa.array(labels, mostly(rng, pa.int64(), pa.float64())),
    }
    names = mostly(rng, ["a", "b", "c"], ["a"], [None] * 9, "abc", 3, {})
    description = json.dumps({"info": {"features": {"label": {"names": names}}}})
    table = pa.table(columns, metadata=mostly(rng, {"huggingface": description}, None))
    file = io.BytesIO()
    pq.write_table(
        table,
        file,
        row_group_size=rng.choice([1, 2, 100]),
        compression=rng.choice(["none", "snappy", "zstd"]),
        write_statistics=rng.random() < 0.5,
    )
    return file.getvalue()


@pytest.mark.parametrize("block", range(10))
def test_mutated_parquet_images(tmp_path, block):
    for seed in seeds(block):
        rng = random.Random(seed)
        try:
            files = [seldom_damaged(parquet_images(rng), rng) for _ in range(2)]
        except (pa.ArrowException, OverflowError):  # what no Parquet file can hold
            continue
        for split, content in zip(("train", "test"), files, strict=True):
            (tmp_path / f"{split}.parquet").write_bytes(content)
        spec = {"kind": "parquet", "train": "train.parquet", "test": "test.parquet"}
        dataset = read(spec | {"size": 8, "channels": 1, "label_column": "label"}, tmp_path)
        if dataset is not None:
            for split, samples in dataset:
                labels = pq.read_table(tmp_path / f"{split}.parquet", columns=["label"])["label"]
                assert samples.labels.tolist() == labels.to_pylist(), seed


def federated(rng: random.Random, path: Path) -> None:
    """Write a file of clients in TensorFlow Federated's layout, some of its parts replaced."""
    with h5py.File(path, "w") as file:
        examples = file.create_group(mostly(rng, "examples", "train/examples", "other"))
        for number in range(mostly(rng, rng.randint(1, 4), 0)):
            client = mostly(rng, f"c{number}", *IDS)
            if client in examples:
                continue
            group = examples.create_group(client)
            count = mostly(rng, rng.randint(1, 4), 0)
            pixels: Any = np.full((count, mostly(rng, 5, 3), 4), rng.randrange(256), np.uint8)
            as_floats = (pixels / 255).astype(np.float32)
            broken = as_floats + mostly(rng, np.nan, 2, -1)
            pixels = mostly(rng, pixels, as_floats, broken, pixels[:, 0], pixels.astype(np.int64))
            labels: Any = np.arange(mostly(rng, count, count + 1)) % 3
            others = labels - 1, labels / 2, labels + 2**40, labels[:, None], labels.astype("S1")
            packed = {"compression": "gzip"} if rng.random() < 0.3 and len(pixels) else {}
            group.create_dataset(
                mostly(rng, "pixels", "image"), data=pixels, fletcher32=bool(packed), **packed
            )
            if rng.random() < 0.03:
                group["label"] = h5py.SoftLink("/nowhere")
            else:
                group["label"] = mostly(rng, labels, *others)


@pytest.mark.parametrize("block", range(10))
def test_mutated_client_files(tmp_path, block):
    for seed in seeds(block):
        rng = random.Random(seed)
        for split in ("train", "test"):
            path = tmp_path / f"{seed}{split}.h5"
            federated(rng, path)
            path.write_bytes(seldom_damaged(path.read_bytes(), rng))
        spec = {"kind": "federated", "train": f"{seed}train.h5", "test": f"{seed}test.h5"}
        dataset = read(spec, tmp_path)
        if dataset is not None:
            for split, samples in dataset:
                with h5py.File(tmp_path / f"{seed}{split}.h5") as file:
                    clients = file["examples"]
                    labels = [label for c in clients for label in clients[c]["label"][()].flat]
                    owners = [c for c in clients for _ in clients[c]["label"][()]]
                assert sorted(zip(samples.owners, samples.labels, strict=True)) == sorted(
                    zip(owners, labels, strict=True)
                ), seed
