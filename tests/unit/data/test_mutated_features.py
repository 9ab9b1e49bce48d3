"""Mutated features of one's own: each file is read as it says or refused in one sentence.

As in `test_mutated_data`, `FBFTL_MUTATIONS=1500 pytest FILE` makes 1,500 of each kind. The last
bytes, where Parquet and ZIP keep their tables, are damaged as often as all others.
"""

import io
import json
import random
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fbftl.data import datasets
from fbftl.features.extract import extract
from fbftl.features.published import publish
from fbftl.ground.errors import UserError
from unit.data import test_own_features as formats
from unit.data.test_mutated_data import damaged
from unit.data.test_mutated_files import png, read, seeds
from unit.features import store_toys as toys
from unit.study.test_fuzz_config import require_sentence

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


@pytest.mark.parametrize("block_of_seeds", range(10))
@pytest.mark.parametrize(
    ("name", "write"),
    [("features.npy", formats.write_npy), ("x.npz", formats.write_npz), ("x.npz", write_lzma),
     ("x.safetensors", formats.write_safetensors), ("x.parquet", formats.write_parquet)],
)  # fmt: skip
def test_mutated_features(tmp_path, name, write, block_of_seeds):
    spec = formats.block(name, labels="labels.npy" if name.endswith(".npy") else None)
    path = write(tmp_path / name, **ARRAYS)
    content = path.read_bytes()
    for seed in seeds(block_of_seeds):
        path.write_bytes(damaged_at_ends(content, random.Random(seed)))
        dataset = read(spec, tmp_path)
        if dataset is not None:
            assert all(np.isfinite(samples.inputs).all() for _, samples in dataset), seed


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mutated")
    extract(formats.Classes(), toys.toy_forward, toys.toy_targets(folder), batch=toys.BATCH)
    publish(folder / "dense.json", folder / "shared", "CC0-1.0", "a laboratory")
    return folder / "shared"


@pytest.mark.parametrize("block_of_seeds", range(10))
def test_mutated_stores(store, block_of_seeds):
    """What is read of a store is what it holds, or its `zarr.json` is another."""
    whole = read(formats.block(store), store)
    assert whole is not None
    files = sorted(path for path in store.rglob("*") if path.is_file() and "c" in path.parts)
    for seed in seeds(block_of_seeds):
        rng = random.Random(seed)
        path = rng.choice([store / "zarr.json", rng.choice(files)])
        content = path.read_bytes()
        path.write_bytes(damaged_at_ends(content, rng))
        try:
            dataset = read(formats.block(store), store)
        finally:
            path.write_bytes(content)
        if dataset is not None and path.name != "zarr.json":
            assert datasets.base.digest(dataset) == datasets.base.digest(whole), seed


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
