"""Mutated data files: each is read as it says or refused in one sentence, whatever was done to it.

What is read of Parquet and HDF5 is compared with what another, plain reader finds in the same file.
The last bytes, where Parquet and ZIP keep their tables, are damaged as often as all others.
`FBFTL_MUTATIONS=1500 pytest FILE` makes 1,500 of each kind; the gate makes the first fifty.
"""

import csv
import io
import json
import os
import random
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fbftl.data import datasets
from fbftl.data.datasets.base import Dataset
from fbftl.data.datasets.images import EncodedImages
from fbftl.features.extract import extract
from fbftl.features.published import publish
from fbftl.ground.errors import UserError
from PIL import Image
from unit.data import test_own_features as formats
from unit.data.test_vectors import SPEC
from unit.features import store_toys as toys
from unit.study.test_fuzz_config import require_sentence

SEEDS = pytest.mark.parametrize("seed", range(int(os.environ.get("FBFTL_MUTATIONS", 50))))
WORDS = ["", "?", "x", "1", "-3.5", "1e308", "1e-320", "nan", "inf", "true", "2020-01-01", "\u00e9"]
FORMATS = ["png", "jpeg", "gif", "bmp", "tiff", "webp", "ppm"]
MODES = ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "I", "F"]


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Return bytes of which some are changed, cut off, doubled or put in."""
    spoiled = bytearray(content)
    for _ in range(rng.randint(0, 2)):
        at = rng.randrange(len(spoiled) + 1)
        match rng.choice(["flip", "cut", "double", "insert"]):
            case "flip" if at < len(spoiled):
                spoiled[at] ^= rng.randint(1, 255)
            case "cut":
                del spoiled[at:]
            case "double":
                spoiled[at:at] = spoiled[at : at + 16]
            case _:
                spoiled[at:at] = rng.randbytes(3)
    return bytes(spoiled)


def rows_of(rng: random.Random) -> list[list[str]]:
    """Return a table of numbers, words and labels with some cells replaced."""
    rows = [["x", "word", "label"]]
    rows += [[str(n / 7), rng.choice("abc"), rng.choice("01")] for n in range(rng.randint(2, 12))]
    for _ in range(rng.randint(0, 2)):
        row = rng.choice(rows)
        row[rng.randrange(3)] = rng.choice([*WORDS, *rows[0]])
    return rows


def written(rows: list[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


@SEEDS
def test_mutated_tables(tmp_path, seed):
    rng = random.Random(seed)
    for split in ("train", "test"):
        (tmp_path / f"{split}.csv").write_bytes(damaged(written(rows_of(rng)), rng))
    dataset = read(SPEC | {"test": rng.choice(["test.csv", None])}, tmp_path)
    if dataset is not None:
        assert all(np.isfinite(samples.inputs).all() for _, samples in dataset)


@SEEDS
def test_mutated_images(seed):
    rng = random.Random(seed)
    image = Image.new("L", (5, 4), rng.randrange(256)).convert("RGB")
    image.putpixel((2, 1), (255, 0, 128))
    file, mode = io.BytesIO(), rng.choice(MODES)
    try:
        (image.convert("L") if mode in ("I;16", "I", "F") else image).convert(mode).save(
            file, rng.choice(FORMATS)
        )
    except (OSError, ValueError):  # a format without this mode
        return
    channels = rng.choice([1, 3])
    images = EncodedImages([damaged(file.getvalue(), rng)], ["a"], channels, 8)
    try:
        assert images[0:1].shape == (1, 8, 8, channels)
    except UserError as error:
        require_sentence(error)


LABELS = [-1, 0, 1, 2, 255, 256, 2**31, 2**63 - 1]
IDS = ["0", "f_01", "a b", "\u00e9", "x" * 129, ".", "test"]


def mostly(rng: random.Random, usual: Any, *others: Any) -> Any:
    """Return the usual value, or one of the others in a fiftieth of the calls."""
    return rng.choice(others) if rng.random() < 0.02 else usual


def seldom_damaged(content: bytes, rng: random.Random) -> bytes:
    """Return the bytes, damaged in a third of the calls: much of what is written is to be read."""
    return damaged(content, rng) if rng.random() < 1 / 3 else content


def read(spec: Mapping[str, Any], folder: Path) -> Dataset | None:
    """Return what is read as the plan expects it, None if it is refused in a sentence."""
    try:
        datasets.check(spec, folder)
        planned = datasets.training_count(spec, folder), datasets.class_count(spec, folder)
        shape = datasets.image(spec, folder)
        dataset = datasets.load(spec, folder)
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


@SEEDS
def test_mutated_parquet_images(tmp_path, seed):
    rng = random.Random(seed)
    try:
        files = [seldom_damaged(parquet_images(rng), rng) for _ in range(2)]
    except (pa.ArrowException, OverflowError):  # what no Parquet file can hold
        return
    for split, content in zip(("train", "test"), files, strict=True):
        (tmp_path / f"{split}.parquet").write_bytes(content)
    spec = {"kind": "parquet", "train": "train.parquet", "test": "test.parquet"}
    dataset = read(spec | {"size": 8, "channels": 1, "label_column": "label"}, tmp_path)
    for split, samples in dataset or ():
        labels = pq.read_table(tmp_path / f"{split}.parquet", columns=["label"])["label"]
        assert samples.labels.tolist() == labels.to_pylist()


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
                mostly(rng, "pixels", "image"),
                data=pixels,
                fletcher32=bool(packed),
                **packed,
            )
            if rng.random() < 0.03:
                group["label"] = h5py.SoftLink("/nowhere")
            else:
                group["label"] = mostly(rng, labels, *others)


@SEEDS
def test_mutated_client_files(tmp_path, seed):
    rng = random.Random(seed)
    for split in ("train", "test"):
        path = tmp_path / f"{split}.h5"
        federated(rng, path)
        path.write_bytes(seldom_damaged(path.read_bytes(), rng))
    dataset = read({"kind": "federated", "train": "train.h5", "test": "test.h5"}, tmp_path)
    for split, samples in dataset or ():
        with h5py.File(tmp_path / f"{split}.h5") as file:
            clients = file["examples"]
            labels = [label for c in clients for label in clients[c]["label"][()].flat]
            owners = [c for c in clients for _ in clients[c]["label"][()]]
        assert sorted(zip(samples.owners, samples.labels, strict=True)) == sorted(
            zip(owners, labels, strict=True)
        )


ARRAYS = {"features": formats.VALUES, "split": formats.SPLIT, "labels": formats.LABELS}
ARRAYS |= {"clients": formats.CLIENTS, "sample": np.arange(formats.ROWS)}


def write_lzma(path: Path, **named: np.ndarray) -> Path:
    """Write a file whose arrays are packed otherwise than NumPy does."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        for name, values in named.items():
            with archive.open(f"{name}.npy", "w") as entry:
                np.save(entry, values)
    return path


def damaged_at_ends(content: bytes, rng: random.Random) -> bytes:
    """Return bytes damaged anywhere, or in a header or the tables at the end."""
    if rng.random() < 0.5:
        return damaged(content, rng)
    spoiled = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        at = rng.choice([rng.randrange(128), -1 - rng.randrange(1500)]) % len(spoiled)
        spoiled[at] = rng.randrange(256)
    return bytes(spoiled)


@SEEDS
@pytest.mark.parametrize(
    ("name", "write"),
    [("features.npy", formats.write_npy), ("x.npz", formats.write_npz), ("x.npz", write_lzma),
     ("x.safetensors", formats.write_safetensors), ("x.parquet", formats.write_parquet)],
)  # fmt: skip
def test_mutated_features(tmp_path, name, write, seed):
    spec = formats.block(name, labels="labels.npy" if name.endswith(".npy") else None)
    path = write(tmp_path / name, **ARRAYS)
    path.write_bytes(damaged_at_ends(path.read_bytes(), random.Random(seed)))
    dataset = read(spec, tmp_path)
    if dataset is not None:
        assert all(np.isfinite(samples.inputs).all() for _, samples in dataset)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mutated")
    extract(formats.Classes(), toys.toy_forward, toys.toy_targets(folder), batch=toys.BATCH)
    publish(folder / "dense.json", folder / "shared", "CC0-1.0", "a laboratory")
    return folder / "shared"


@SEEDS
def test_mutated_stores(store, seed):
    """What is read of a store is what it holds, or its `zarr.json` is another."""
    whole = read(formats.block(store), store)
    assert whole is not None
    files = sorted(path for path in store.rglob("*") if path.is_file() and "c" in path.parts)
    rng = random.Random(seed)
    path = rng.choice([store / "zarr.json", rng.choice(files)])
    content = path.read_bytes()
    path.write_bytes(damaged_at_ends(content, rng))
    try:
        dataset = read(formats.block(store), store)
    finally:
        path.write_bytes(content)
    if dataset is not None and path.name != "zarr.json":
        assert datasets.base.digest(dataset) == datasets.base.digest(whole)


@pytest.mark.parametrize("value", [None, -1, 10**30, "x", [], [1], [[1]], {}])
def test_stores_whose_document_has_other_values(store, value):
    content = (store / "zarr.json").read_text()
    document = json.loads(content)
    arrays = document["attributes"]["arrays"]
    for block_of, key in [(document, "attributes"), (document["attributes"], "arrays")] + [
        (entry, key) for entry in arrays.values() for key in (*entry,)
    ]:
        kept, block_of[key] = block_of[key], value
        (store / "zarr.json").write_text(json.dumps(document))
        read(formats.block(store), store)
        block_of[key] = kept
    (store / "zarr.json").write_text(content)


def small(features: pa.Array, name: str) -> bytes:
    """Return a Parquet file of six rows in one group, with a label each."""
    file = io.BytesIO()
    pq.write_table(pa.table({name: features, "label": [0, 1, 2, 0, 1, 2]}), file)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["features", "parquet"])
def test_no_byte_of_a_footer_ends_the_process(tmp_path, kind):
    """Arrow does where it is asked for a column's metadata, if some of them are damaged."""
    images = pa.array([{"bytes": png(random.Random(row))} for row in range(6)])
    vectors = pa.FixedSizeListArray.from_arrays(
        formats.VALUES[:6].reshape(-1), formats.VALUES.shape[1]
    )
    content = small(vectors if kind == "features" else images, "img")
    spec = {
        "features": formats.block("x.parquet", features="img", labels="label"),
        "parquet": {"kind": "parquet", "train": "x.parquet", "size": 8, "channels": 1},
    }[kind]
    footer = int.from_bytes(content[-8:-4], "little")
    for at in range(len(content) - 8 - footer, len(content) - 8):
        spoiled = bytearray(content)
        spoiled[at] ^= 1
        (tmp_path / "x.parquet").write_bytes(spoiled)
        try:
            datasets.check(spec, tmp_path)
        except UserError as error:
            require_sentence(error)
