"""Mutated features of one's own: each file is read as it says or refused in one sentence.

As in `test_mutated_data`, `FBFTL_MUTATIONS=1500 pytest FILE` makes 1,500 of each kind. The last
bytes, where Parquet and ZIP keep their tables, are damaged as often as all others.
"""

import io
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import safetensors.numpy
from fbftl.data import datasets
from fbftl.features.extract import extract
from fbftl.features.published import publish
from fbftl.ground.errors import UserError
from unit.data.test_mutated_data import damaged
from unit.data.test_mutated_files import png, read, seeds
from unit.data.test_own_features import CLIENTS, LABELS, SPLIT, VALUES, Classes, block
from unit.features import store_toys as toys
from unit.study.test_fuzz_config import require_sentence

ARRAYS = {"labels": LABELS, "clients": CLIENTS, "sample": np.arange(len(LABELS))}


def npy() -> bytes:
    file = io.BytesIO()
    np.save(file, VALUES)
    return file.getvalue()


def npz() -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, features=VALUES, split=SPLIT, **ARRAYS)
    return file.getvalue()


def lzma_npz() -> bytes:
    """Return a file whose arrays are packed otherwise than NumPy does."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        for name, values in {"features": VALUES, **ARRAYS}.items():
            with archive.open(f"{name}.npy", "w") as entry:
                np.save(entry, values)
    return file.getvalue()


def tensors() -> bytes:
    return safetensors.numpy.save({"features": VALUES, **ARRAYS})


def parquet() -> bytes:
    rows = pa.FixedSizeListArray.from_arrays(VALUES.reshape(-1), VALUES.shape[1])
    file = io.BytesIO()
    pq.write_table(pa.table({"features": rows, "split": SPLIT, **ARRAYS}), file, row_group_size=9)
    return file.getvalue()


def damaged_at_ends(content: bytes, rng: random.Random) -> bytes:
    """Return bytes damaged anywhere, or in a header or the tables at the end."""
    if rng.random() < 0.5:
        return damaged(content, rng)
    spoiled = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        at = rng.choice([rng.randrange(128), -1 - rng.randrange(1500)]) % len(spoiled)
        spoiled[at] = rng.randrange(256)
    return bytes(spoiled)


@pytest.mark.parametrize("block_of_seeds", range(10))
@pytest.mark.parametrize(
    ("name", "make"),
    [("x.npy", npy), ("x.npz", npz), ("x.npz", lzma_npz), ("x.safetensors", tensors),
     ("x.parquet", parquet)],
)  # fmt: skip
def test_mutated_features(
    tmp_path: Path, name: str, make: Callable[[], bytes], block_of_seeds: int
) -> None:
    np.save(tmp_path / "labels.npy", LABELS)
    spec = block(name, labels="labels.npy" if name.endswith(".npy") else None)
    for seed in seeds(block_of_seeds):
        (tmp_path / name).write_bytes(damaged_at_ends(make(), random.Random(seed)))
        dataset = read(spec, tmp_path)
        if dataset is not None:
            assert all(np.isfinite(samples.inputs).all() for _, samples in dataset), seed


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mutated")
    extract(Classes(), toys.toy_forward, toys.toy_targets(folder), batch=toys.BATCH)
    publish(folder / "dense.json", folder / "shared", "CC0-1.0", "a laboratory")
    return folder / "shared"


@pytest.mark.parametrize("block_of_seeds", range(10))
def test_mutated_stores(store: Path, block_of_seeds: int) -> None:
    """What is read of a store is what it holds, or its `zarr.json` is another."""
    whole = read(block(store), store)
    assert whole is not None
    files = sorted(path for path in store.rglob("*") if path.is_file() and "c" in path.parts)
    for seed in seeds(block_of_seeds):
        rng = random.Random(seed)
        path = rng.choice([store / "zarr.json", rng.choice(files)])
        content = path.read_bytes()
        path.write_bytes(damaged_at_ends(content, rng))
        try:
            dataset = read(block(store), store)
        finally:
            path.write_bytes(content)
        if dataset is not None and path.name != "zarr.json":
            assert datasets.base.digest(dataset) == datasets.base.digest(whole), seed


@pytest.mark.parametrize("value", [None, -1, 10**30, "x", [], [1], [[1]], {}])
def test_stores_whose_document_has_other_values(store: Path, value: Any) -> None:
    content = (store / "zarr.json").read_text()
    document = json.loads(content)
    arrays = document["attributes"]["arrays"]
    for block_of, key in [(document, "attributes"), (document["attributes"], "arrays")] + [
        (entry, key) for entry in arrays.values() for key in (*entry,)
    ]:
        kept, block_of[key] = block_of[key], value
        (store / "zarr.json").write_text(json.dumps(document))
        read(block(store), store)
        block_of[key] = kept
    (store / "zarr.json").write_text(content)


def small(features: pa.Array, name: str) -> bytes:
    """Return a Parquet file of six rows in one group, with a label each."""
    file = io.BytesIO()
    pq.write_table(pa.table({name: features, "label": [0, 1, 2, 0, 1, 2]}), file)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["features", "parquet"])
def test_no_byte_of_a_footer_ends_the_process(tmp_path: Path, kind: str) -> None:
    """Arrow does where it is asked for a column's metadata, if some of them are damaged."""
    images = pa.array([{"bytes": png(random.Random(row))} for row in range(6)])
    vectors = pa.FixedSizeListArray.from_arrays(VALUES[:6].reshape(-1), VALUES.shape[1])
    content = small(vectors if kind == "features" else images, "img")
    spec = {
        "features": block("x.parquet", features="img", labels="label"),
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
