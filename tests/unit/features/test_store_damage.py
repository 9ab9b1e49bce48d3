"""Flipped bits, lost files and foreign stores: found when read, and named."""

import random
import shutil

import pytest
import zarr
from fbftl.features.extract import extract
from fbftl.features.store.manifest import AGAIN, damage
from fbftl.features.store.reader import open_store
from fbftl.ground.errors import UserError
from unit.features import store_toys as toys
from unit.features.fault_toys import extract_toys


def test_a_foreign_store_in_the_place_of_ours_is_refused(tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    extract_toys(ours)
    (target, _) = toys.toy_targets(theirs)
    foreign = lambda arrays: {"dense": toys.dense(arrays) + 1}  # noqa: E731
    extract(toys.ToySource(), foreign, [target], batch=toys.BATCH)
    shutil.rmtree(ours / "dense.zarr")
    shutil.copytree(theirs / "dense.zarr", ours / "dense.zarr")
    with pytest.raises(UserError, match=r"metadata of the store in .* is not what its manifest"):
        open_store(ours / "dense.json")


@pytest.mark.parametrize("array", ["labels", "features"])
def test_what_zarr_overwrites_is_not_read(tmp_path, array):
    """Values that anybody writes with zarr have right checksums, but not the manifest's digests."""
    extract_toys(tmp_path)
    zarr.open_array(tmp_path / "dense.zarr" / "train" / array, mode="r+")[150] = 7
    with pytest.raises(UserError, match=rf"Chunk \d of train/{array} .* \(its sha256 is .*, not"):
        open_store(tmp_path / "dense.json").read("train")


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged")
    extract_toys(folder)
    return folder


def error_of_reading(manifest):
    """Read everything and return the error's message."""
    try:
        for split in toys.COUNTS:
            open_store(manifest).read(split)
    except UserError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", ["dense", "ragged"])
def test_flipped_bits_and_missing_files_are_found_and_named(stores, undisturbed, name):
    rng = random.Random(name)
    store, manifest = stores / f"{name}.zarr", stores / f"{name}.json"
    for path in sorted(path for path in store.rglob("*") if path.is_file()):
        key, whole_file = path.relative_to(store).as_posix(), path.read_bytes()
        content = bytearray(whole_file)
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        for how in ("damaged", "missing"):
            path.unlink()
            if how == "damaged":
                path.write_bytes(content)
            assert list(damage(manifest)) == [(key, how)]
            message = error_of_reading(manifest)
            assert str(store) in message
            array, _, chunk = key.partition("/c/")
            if chunk:
                assert message.startswith(f"Chunk {chunk.split('/')[0]} of {array} ")
            if how == "damaged":
                assert message.endswith(f"{AGAIN}.")
        path.write_bytes(whole_file)
    assert toys.files(stores) == undisturbed


@pytest.mark.parametrize("how", ["flipped", "missing", "not json", "a list"])
def test_damaged_manifest(stores, how):
    manifest = stores / "dense.json"
    content = manifest.read_bytes()
    if how == "missing":
        manifest.unlink()
    else:
        digit = content.index(b'"count') + 20
        flipped = content[:digit] + bytes([content[digit] ^ 1]) + content[digit + 1 :]
        manifest.write_bytes({"flipped": flipped, "not json": b"{", "a list": b"[]"}[how])
    with pytest.raises(UserError, match=r"Manifest .*dense\.json is (missing|damaged)"):
        open_store(manifest)
    manifest.write_bytes(content)
