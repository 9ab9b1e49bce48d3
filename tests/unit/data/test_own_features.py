"""Features of one's own: each format gives the same samples, and what is wrong is refused."""

import json
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import safetensors.numpy
import zarr
from fbftl.data import datasets
from fbftl.features.extract import extract
from fbftl.features.published import publish
from fbftl.features.store.manifest import read_manifest
from fbftl.features.store.reader import open_store
from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256
from unit.features import store_toys as toys

ROWS, WIDTH = 40, 6
RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=(ROWS, WIDTH)).astype(np.float32)
LABELS = np.arange(ROWS) % 3
CLIENTS = np.arange(ROWS) % 12
SPLIT = np.where(np.arange(ROWS) < 30, "train", "test")
KEYS = ("features", "labels", "clients", "split", "sha256", "test")


def block(path: Path | str, **given: Any) -> dict[str, Any]:
    """Return the data block of a file, filled in as the schema does."""
    others = dict.fromkeys(("portion", "classes", "limit"))
    block = {"kind": "features", "path": str(path), "test_fraction": 0.25, "seed": 0}
    return {**dict.fromkeys(KEYS), **others, **block, **given}


def loaded(path: Path | str, **given: Any) -> datasets.Dataset:
    """Check and read a file as the workflow does."""
    spec = block(path, **given)
    datasets.check(spec, None)
    return datasets.load(spec, None)


def write_npz(path: Path, **named: np.ndarray) -> Path:
    np.savez_compressed(path, **named)
    return path


def write_safetensors(path: Path, **named: np.ndarray) -> Path:
    named["split"] = (named["split"] == "test").astype(np.uint8)
    safetensors.numpy.save_file(named, path)
    return path


def write_parquet(path: Path, **named: np.ndarray) -> Path:
    vectors = pa.FixedSizeListArray.from_arrays(named.pop("features").reshape(-1), WIDTH)
    others = {name: pa.array(values) for name, values in named.items()}
    text = pa.array(["never read"] * ROWS)
    pq.write_table(pa.table({"features": vectors, **others, "text": text}), path, row_group_size=7)
    return path


def write_npy(path: Path, **named: np.ndarray) -> Path:
    for name, values in named.items():
        np.save(path.with_name(f"{name}.npy"), np.asfortranarray(values))
    return path.with_name("features.npy")


OF_NPY = {name: f"{name}.npy" for name in ("labels", "clients", "split")}


@pytest.mark.parametrize(
    ("suffix", "write"),
    [(".npy", write_npy), (".npz", write_npz), (".parquet", write_parquet),
     (".safetensors", write_safetensors)],
)  # fmt: skip
def test_every_format_gives_the_same_samples(tmp_path, suffix, write):
    arrays = {"features": VALUES, "labels": LABELS, "clients": CLIENTS, "split": SPLIT}
    path = write(tmp_path / f"own{suffix}", **arrays)
    given = {k: str(tmp_path / name) for k, name in OF_NPY.items()} if suffix == ".npy" else {}
    digest = None if given else sha256(path)
    dataset = loaded(path, sha256=digest, **given)
    assert np.array_equal(dataset.train.inputs[:, 0, 0], VALUES[:30])
    assert np.array_equal(dataset.test.labels, LABELS[30:])
    assert dataset.train.owners.tolist() == [f"{client:02}" for client in CLIENTS[:30]]
    assert dataset.classes == ("0", "1", "2")
    spec = block(path, **given)
    assert datasets.training_count(spec, None) == 30
    assert datasets.image(spec, None) == (1, 1, WIDTH)
    assert datasets.named_clients(spec, None) == 12
    assert set(datasets.files(spec, None)) == {str(path), *given.values()}
    with pytest.raises(UserError, match=f"{path.stem}.* has the SHA-256 .*, and data.sha256 is"):
        loaded(path, sha256="0" * 64, **given)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(UserError, match=r"cannot be read \(.*\); correct it or make it anew"):
        loaded(path, **given)


def written(
    folder: Path, values: np.ndarray = VALUES, labels: np.ndarray = LABELS
) -> dict[str, str]:
    """Write features and labels, and return the keys that name them."""
    np.save(folder / "features.npy", values)
    np.save(folder / "labels.npy", labels)
    return {"path": str(folder / "features.npy"), "labels": str(folder / "labels.npy")}


def test_test_samples_are_a_share_of_the_rows_or_a_further_file(tmp_path):
    named = written(tmp_path)
    assert datasets.training_count(block(**named), None) == 30
    one, same, other = (loaded(**named, seed=seed).test.labels for seed in (0, 0, 1))
    assert len(one) == 10
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    (tmp_path / "test").mkdir()
    test = written(tmp_path / "test", VALUES[:8] + 9, LABELS[:8])
    dataset = loaded(**named, test=test)
    assert (len(dataset.train), len(dataset.test)) == (40, 8)
    with pytest.raises(UserError, match=r"no labels; give data\.test\.labels a \.npy file or"):
        loaded(**named, test={"path": test["path"]})
    with pytest.raises(UserError, match="40 training samples are among the test samples too"):
        loaded(**named, test=named)
    np.save(tmp_path / "split.npy", SPLIT)
    with pytest.raises(UserError, match=r"or data\.test has an array split, but data\.test"):
        loaded(**named, split=str(tmp_path / "split.npy"), test=test)
    written(tmp_path / "test", VALUES[:8, :3], LABELS[:8])
    with pytest.raises(UserError, match="give both the same"):
        loaded(**named, test=test)


def test_samples_come_in_the_order_of_their_numbers_each_once(tmp_path):
    order = RNG.permutation(ROWS)
    named = {"features": VALUES[order], "labels": LABELS[order], "split": SPLIT[order]}
    dataset = loaded(write_npz(tmp_path / "own.npz", sample=order, **named))
    assert np.array_equal(dataset.train.inputs[:, 0, 0], VALUES[:30])
    with pytest.raises(UserError, match=r"own\.npz: sample 3 occurs twice"):
        loaded(write_npz(tmp_path / "own.npz", sample=order.clip(3), **named))


def test_what_a_split_cannot_be_is_refused(tmp_path):
    named = {"features": VALUES, "labels": LABELS}
    path = write_npz(tmp_path / "own.npz", split=np.repeat(["train", "val"], 20), **named)
    with pytest.raises(UserError, match="a split 'val', which is neither train nor test"):
        loaded(path)


def test_bfloat16_of_safetensors_is_widened(tmp_path):
    short = (VALUES.view(np.uint32) >> 16).astype("<u2")
    header, content = {}, b""
    for name, kind, values in (("features", "BF16", short), ("labels", "I64", LABELS)):
        ends = [len(content), len(content) + values.nbytes]
        header[name] = {"dtype": kind, "shape": values.shape, "data_offsets": ends}
        content += values.tobytes()
    text = json.dumps(header).encode()
    path = tmp_path / "own.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + content)
    dataset = loaded(path)
    read = np.concatenate([dataset.train.inputs, dataset.test.inputs]).reshape(-1, WIDTH)
    assert np.allclose(np.sort(read, axis=0), np.sort(VALUES, axis=0), rtol=2**-7)


@pytest.mark.parametrize(
    ("values", "labels", "reason"),
    [
        (VALUES, LABELS[:, None], r"labels\.npy cannot be read \(labels of the shape \[40, 1\]"),
        (VALUES, LABELS[:39], r"features\.npy: 40 vectors but 39 labels; give each"),
        (VALUES[:, None], LABELS, r"features of the shape \[40, 1, 6\]"),
        (VALUES.astype(complex), LABELS, "features of the type complex128"),
        (VALUES, LABELS - 1, "negative classes, their least label is -1"),
        (np.where(VALUES[5, 2] == VALUES, np.nan, VALUES), LABELS, "sample 5 has a value that is"),
        (VALUES.astype(float) * 1e300, LABELS, "no finite number of 32 bits"),
    ],
)
def test_wrong_arrays_are_refused(tmp_path, values, labels, reason):
    with pytest.raises(UserError, match=reason):
        loaded(**written(tmp_path, values, labels))


def npz(path: Path, **changed: np.ndarray) -> dict[str, str]:
    """Write vectors, labels and what is given, and return the block that names them."""
    return {"path": str(write_npz(path, **{"features": VALUES, "labels": LABELS} | changed))}


@pytest.mark.parametrize("seed", range(5))
def test_equal_vectors_may_be_different_samples(tmp_path, seed):
    """In a fraction of the rows, and where the samples have numbers of their own."""
    values = np.repeat(VALUES[:20], 2, axis=0)
    named = npz(tmp_path / "own.npz", features=values)
    assert len(loaded(**named, seed=seed).test) == 10
    halves = np.arange(ROWS) % 2
    with pytest.raises(UserError, match="or number all samples by an array `sample`"):
        loaded(**npz(tmp_path / "own.npz", features=values, split=halves))
    numbers = np.arange(ROWS)
    named = npz(tmp_path / "own.npz", features=values, split=halves, sample=numbers)
    assert len(loaded(**named).test) == 20
    named = npz(tmp_path / "own.npz", sample=numbers)
    test = npz(tmp_path / "test.npz", sample=numbers + 39)
    with pytest.raises(UserError, match="1 training samples are among the test samples too"):
        loaded(**named, test=test)
    assert len(loaded(**named, test=npz(tmp_path / "test.npz", sample=numbers + 40)).test) == 40


@pytest.mark.parametrize("key", ["path", "labels", "clients"])
@pytest.mark.parametrize("where", ["data", "data.test"])
def test_a_missing_file_is_named_with_its_key(tmp_path, where, key):
    named = written(tmp_path)
    missing = named | {key: str(tmp_path / "none.npy")}
    spec = block(**missing) if where == "data" else block(**named, test=missing)
    for look in (datasets.files, datasets.check):
        with pytest.raises(UserError, match=rf"{where}\.{key}: .*none\.npy is missing"):
            look(spec, None)


class Classes(toys.ToySource):
    """The toy rows with a class each, and no tokens."""

    def batches(self, split: str, size: int, start: int = 0) -> Iterator[toys.ToyBatch]:
        for batch in super().batches(split, size, start):
            batch.arrays.pop("tokens")
            yield batch


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published store, beside the one that it was made of and one of rows of unequal length."""
    folder = tmp_path_factory.mktemp("store")
    extract(Classes(), toys.toy_forward, toys.toy_targets(folder), batch=toys.BATCH)
    digest = publish(folder / "dense.json", folder / "shared", "CC0-1.0", "a laboratory")
    assert digest == sha256(folder / "shared" / "zarr.json")
    return folder / "shared"


@pytest.fixture
def store(published: Path, tmp_path: Path) -> Path:
    shutil.copytree(published, tmp_path / "store")
    return tmp_path / "store"


def test_a_published_store_gives_the_samples_that_it_was_made_of(published):
    there = open_store(published.parent / "dense.json")
    dataset = loaded(published, sha256=sha256(published / "zarr.json"))
    for split, samples in dataset:
        rows = there.read(split)
        order = np.argsort(rows.sample)
        assert np.array_equal(samples.inputs[:, 0, 0], rows.values[order])
        assert np.array_equal(samples.labels, rows.labels[order])
    assert datasets.named_clients(block(published), None) == len(np.unique(there.clients("train")))
    assert np.array_equal(
        zarr.open_group(published, mode="r")["train/labels"][:], there.labels("train")
    )
    with pytest.raises(UserError, match=r"data\.labels: .* is a store and has it already; leave"):
        loaded(published, labels="labels")


def test_nothing_unfinished_is_published(published, tmp_path):
    manifest = published.parent / "dense.json"
    with pytest.raises(UserError, match="is there already; name a new folder"):
        publish(manifest, published, "CC0-1.0", "me")
    with pytest.raises(UserError, match="is of dialogues"):
        publish(manifest.with_name("ragged.json"), tmp_path / "texts", "CC0-1.0", "me")
    folder = tmp_path / "damaged"
    shutil.copytree(published.parent, folder)
    chunk = folder / "dense.zarr" / "train" / "features" / "c" / "1" / "0"
    chunk.write_bytes(chunk.read_bytes()[:-1] + b"\0")
    with pytest.raises(UserError, match=r"train/features/c/1/0 is damaged"):
        publish(folder / "dense.json", folder / "out", "CC0-1.0", "me")
    assert not [path for path in folder.iterdir() if "out" in path.name]
    assert read_manifest(manifest).files["zarr.json"] == sha256(published / "zarr.json")


CHUNK = Path("train", "features", "c", "0", "0")


def test_a_changed_chunk_is_refused_whatever_its_checksum(store):
    digest = sha256(store / "zarr.json")
    array = zarr.open_array(store / "train" / "features", mode="r+")
    array[0] = array[0] + 1
    with pytest.raises(UserError, match=r"train/features is not what zarr\.json says"):
        loaded(store, sha256=digest)
    (store / CHUNK).unlink()
    with pytest.raises(UserError, match=r"train/features is not what zarr\.json says"):
        loaded(store)
    (store / "zarr.json").write_text((store / "zarr.json").read_text() + " ")
    with pytest.raises(UserError, match=r"zarr\.json has the SHA-256 .*, and data\.sha256 is"):
        loaded(store, sha256=digest)
