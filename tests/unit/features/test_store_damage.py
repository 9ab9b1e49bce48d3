"""Flipped bits, lost files and foreign stores: found when read, and named."""

import random
import shutil

import numpy as np
import pytest
from fbftl.features.extract import extract
from fbftl.features.store.manifest import AGAIN, read_manifest
from fbftl.features.store.opening import open_store
from fbftl.features.store.publish import store_writer
from fbftl.features.store.target import Target
from fbftl.features.store.verify import verify
from fbftl.ground.errors import UserError
from unit.features import store_toys as toys
from unit.features.fault_toys import extract_toys


def test_a_foreign_store_in_the_place_of_ours_is_refused_with_both_digests(tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    extract_toys(ours)
    (target, _) = toys.toy_targets(theirs)
    foreign = lambda arrays: {"dense": toys.dense(arrays) + 1}  # noqa: E731
    extract(toys.ToySource(), foreign, [target], batch=toys.BATCH)
    shutil.rmtree(ours / "dense.zarr")
    shutil.copytree(theirs / "dense.zarr", ours / "dense.zarr")
    name = "test/features"
    digests = [
        read_manifest(folder / "dense.json").store["arrays"][name]["sha256"]
        for folder in (theirs, ours)
    ]
    sentence = f"array {name} has sha256 {digests[0]} in the store and {digests[1]} in the manifest"
    with pytest.raises(UserError, match=sentence):
        open_store(ours / "dense.json")


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged")
    extract_toys(folder)
    return folder


def error_of_reading(store, whole):
    """Read everything; return the error's message, or "" if every value is as it was."""
    try:
        read = {split: open_store(store).read(split) for split in whole}
    except UserError as error:
        return str(error)
    for split, expected in whole.items():
        np.testing.assert_array_equal(read[split].values, expected.values)
        np.testing.assert_array_equal(read[split].labels, expected.labels)
        np.testing.assert_array_equal(read[split].client, expected.client)
    return ""


def read_all(store):
    return [open_store(store).read(split) for split in toys.COUNTS]


@pytest.mark.parametrize("name", ["dense", "ragged"])
def test_flipped_bits(stores, undisturbed, name):
    """A flip in any file is found by `verify`; no read returns other values."""
    rng = random.Random(name)
    store = stores / f"{name}.zarr"
    whole = {split: open_store(store).read(split) for split in toys.COUNTS}
    for path in sorted(path for path in store.rglob("*") if path.is_file()):
        whole_file = path.read_bytes()
        content = bytearray(whole_file)
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        (damage,) = verify(store)
        assert (damage.key, damage.reason) == (path.relative_to(store).as_posix(), "damaged")
        message = error_of_reading(store, whole)
        if damage.chunk is not None:
            assert f"Chunk {damage.chunk} of {damage.array}" in message
        if message:  # the metadata of a split or an array may survive a flip
            assert str(store) in message
            assert AGAIN in message
        path.write_bytes(whole_file)
    assert toys.files(stores) == undisturbed


@pytest.mark.parametrize("name", ["dense", "ragged"])
def test_missing_files(stores, name):
    store = stores / f"{name}.zarr"
    rng = random.Random(name)
    paths = sorted(path for path in store.rglob("*") if path.is_file())
    for path in rng.sample(paths, 6):
        content = path.read_bytes()
        path.unlink()
        (damage,) = verify(store)
        assert damage.reason == "missing"
        if damage.chunk is not None:
            with pytest.raises(UserError, match=rf"Chunk {damage.chunk} of .* is missing"):
                read_all(store)
        path.write_bytes(content)


def test_files_of_others(stores):
    notes = stores / "dense.zarr" / "train" / "notes.txt"
    notes.write_text("mine")
    (damage,) = verify(stores / "dense.zarr")
    assert str(damage).endswith("file train/notes.txt is unexpected")
    notes.unlink()


@pytest.mark.parametrize("damage", ["flipped", "missing", "not json", "a list"])
def test_damaged_manifest(stores, damage):
    manifest = stores / "dense.json"
    content = manifest.read_bytes()
    if damage == "missing":
        manifest.unlink()
    else:
        digit = content.index(b'"count') + 20
        flipped = content[:digit] + bytes([content[digit] ^ 1]) + content[digit + 1 :]
        manifest.write_bytes({"flipped": flipped, "not json": b"{", "a list": b"[]"}[damage])
    with pytest.raises(UserError, match=r"Manifest .*dense\.json is (missing|damaged)"):
        verify(stores / "dense.zarr")
    manifest.write_bytes(content)


def test_wrong_count(tmp_path):
    """Metadata of another shape than the store was finished with."""
    extract_toys(tmp_path)
    path = tmp_path / "dense.zarr" / "train" / "features" / "zarr.json"
    path.write_text(path.read_text().replace("203", "202", 1))
    with pytest.raises(UserError, match=r"train/features .* has shape \[202, 24\]"):
        open_store(tmp_path / "dense.zarr")


def test_width_differs_between_splits(tmp_path):
    target = Target(tmp_path / "f.zarr", toys.toy_provenance("c"))
    ids = np.arange(2)
    columns = {"labels": ids, "client": ids, "sample": ids}
    with store_writer(target, {"train": 2, "test": 2}, 2) as writer:
        writer.append("train", 0, np.zeros((2, 3), np.float32), columns)
        writer.append("test", 0, np.zeros((2, 4), np.float32), columns)
        with pytest.raises(UserError, match="widths"):
            writer.publish()
