"""Kills, torn files, full disks, flipped bits and rivals: the store ends right or says why not."""

import errno
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import fbftl.features.store.work as work_module
import numpy as np
import pytest
from fbftl.features.extract import extract
from fbftl.features.store.lock import exclusive
from fbftl.features.store.manifest import read_manifest
from fbftl.features.store.opening import open_store
from fbftl.features.store.publish import store_writer
from fbftl.features.store.repair import repair
from fbftl.features.store.target import Target
from fbftl.features.store.verify import require_sound, verify
from fbftl.ground.errors import UserError
from unit.features import store_toys as toys


def extract_toys(folder, source=None):
    extract(
        source or toys.ToySource(), toys.toy_forward, toys.toy_targets(folder), batch=toys.BATCH
    )


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    extract_toys(folder)
    return toys.files(folder)


class StopError(Exception):
    """Stands for whatever ends an extraction early."""


class FailingSource(toys.ToySource):
    """Stops before a row, as a bug or Ctrl-C in the decoder would."""

    def __init__(self, row, error):
        super().__init__()
        self.row, self.error = row, error

    def batches(self, split, size, start=0):
        for batch in super().batches(split, size, start):
            if batch.sample[-1] >= self.row:
                raise self.error
            yield batch


def start_extraction(folder):
    """Start a process of its own, forked, since imports take longer than all it does."""
    process = multiprocessing.get_context("fork").Process(
        target=toys.extract_slowly, args=(folder,)
    )
    process.start()
    return process


def exit_code(process):
    process.join()
    return process.exitcode


def test_twenty_kills(tmp_path, undisturbed):
    """One extraction is killed 20 times at seeded moments of its progress, then left to finish."""
    moments = random.Random(3)
    for _ in range(20):
        process = start_extraction(tmp_path)
        wait_for_progress(process, tmp_path)
        time.sleep(moments.uniform(0, 0.15))
        process.kill()
        process.join()
        if (tmp_path / "ragged.json").exists():
            # The kill may have come before the work folder was gone; the next call removes it.
            assert exit_code(start_extraction(tmp_path)) == 0
            assert toys.files(tmp_path) == undisturbed
            for path in sorted(tmp_path.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
    assert exit_code(start_extraction(tmp_path)) == 0
    assert toys.files(tmp_path) == undisturbed


def wait_for_progress(process, folder):
    """Wait until the process has the lock."""
    lock = folder / ".dense.work" / "lock"
    while process.is_alive():
        if lock.exists() and f"process {process.pid} " in lock.read_text():
            return
        time.sleep(0.005)


def test_goes_on_where_it_was(tmp_path, undisturbed):
    with pytest.raises(StopError):
        extract_toys(tmp_path, FailingSource(150, StopError()))
    assert not (tmp_path / "dense.zarr").exists()
    seen = []

    class Recording(toys.ToySource):
        def batches(self, split, size, start=0):
            seen.append((split, start))
            return super().batches(split, size, start)

    extract_toys(tmp_path, Recording())
    (split, start), *_ = seen
    assert split == "train"
    assert start > 0
    assert start % toys.BATCH == 0
    assert toys.files(tmp_path) == undisturbed


@pytest.mark.parametrize("seed", range(6))
def test_power_loss(tmp_path, undisturbed, seed):
    """Whatever the cut left of the last files is dropped: torn, emptied, zeroed or lost."""
    with pytest.raises(StopError):
        extract_toys(tmp_path, FailingSource(150, StopError()))
    rng = random.Random(seed)
    work = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "lock"]
    for path in rng.sample(sorted(work), 4):
        content = path.read_bytes()
        size = rng.randrange(len(content))
        damage = rng.choice(["torn", "zeroed", "lost"])
        if damage == "lost":
            path.unlink()
        else:
            path.write_bytes(content[:size] + b"\0" * (damage == "zeroed") * (len(content) - size))
    (tmp_path / ".dense.work" / "store" / ".zarr.123.part.json").write_text("half a file")
    extract_toys(tmp_path)
    assert toys.files(tmp_path) == undisturbed


def test_other_extraction_in_the_work_folder_is_dropped(tmp_path):
    for changed in ({"source": "6" * 64}, {"dtype": "float16"}):
        with pytest.raises(StopError):
            extract_toys(tmp_path, FailingSource(150, StopError()))
        (target, _) = toys.toy_targets(tmp_path, **changed)
        extract(toys.ToySource(), toys.toy_forward, [target], batch=toys.BATCH)
        fresh = tmp_path / "fresh"
        (target, _) = toys.toy_targets(fresh, **changed)
        extract(toys.ToySource(), toys.toy_forward, [target], batch=toys.BATCH)
        assert toys.files(tmp_path / "dense.zarr") == toys.files(fresh / "dense.zarr")


def test_killed_between_store_and_manifest(tmp_path, undisturbed, monkeypatch):
    from fbftl.features.store.manifest import Manifest

    def stop(manifest, path):
        raise StopError

    monkeypatch.setattr(Manifest, "write", stop)
    with pytest.raises(StopError):
        extract_toys(tmp_path)
    monkeypatch.undo()
    assert (tmp_path / "dense.zarr").exists()
    assert not (tmp_path / "dense.json").exists()
    (target, _) = toys.toy_targets(tmp_path)
    extract(nothing_to_extract(), toys.toy_forward, [target], batch=toys.BATCH)
    extract_toys(tmp_path)
    assert toys.files(tmp_path) == undisturbed


def nothing_to_extract():
    return FailingSource(0, AssertionError("nothing to extract"))


def test_what_an_engine_removes_before_a_job_runs_again_costs_no_extraction(tmp_path, undisturbed):
    """Outputs are the manifest and the root's metadata; all else is found by the record."""
    extract_toys(tmp_path)
    for name in ("dense", "ragged"):
        (tmp_path / f"{name}.json").unlink()
        (tmp_path / f"{name}.zarr" / "zarr.json").unlink()
    (tmp_path / "dense.zarr" / "train" / "zarr.json").write_text("{}")
    extract_toys(tmp_path, nothing_to_extract())
    assert toys.files(tmp_path) == undisturbed


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"header": 1, "manifest": 2, "digest": 3}'])
def test_a_damaged_record_is_none(tmp_path, undisturbed, damage):
    extract_toys(tmp_path)
    (tmp_path / ".dense.finished.json").write_text(damage)
    with pytest.raises(AssertionError, match="nothing to extract"):
        extract_toys(tmp_path, nothing_to_extract())
    extract_toys(tmp_path)
    assert toys.files(tmp_path) == undisturbed


def test_other_code_extracts_again(tmp_path):
    """Finished or half done: what other code has made is not mixed with what this code makes."""
    extract_toys(tmp_path)
    (target, _) = toys.toy_targets(tmp_path)
    other = replace(target, code="c0de")
    with pytest.raises(AssertionError, match="nothing to extract"):
        extract(nothing_to_extract(), toys.toy_forward, [other], batch=toys.BATCH)
    with pytest.raises(StopError):
        extract(FailingSource(150, StopError()), toys.toy_forward, [other], batch=toys.BATCH)
    shifted = lambda arrays: {"dense": toys.dense(arrays) + 1}  # noqa: E731
    extract(toys.ToySource(), shifted, [replace(target, code="newer")], batch=toys.BATCH)
    found = open_store(tmp_path / "dense.json").read("train").values
    np.testing.assert_array_equal(found, toys.dense(toys.all_rows("train")) + 1)


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


def test_finished_store_is_kept_and_a_damaged_one_replaced(tmp_path, undisturbed):
    extract_toys(tmp_path)
    before = (tmp_path / "dense.zarr" / "zarr.json").stat().st_mtime_ns
    extract_toys(tmp_path, nothing_to_extract())
    assert (tmp_path / "dense.zarr" / "zarr.json").stat().st_mtime_ns == before
    (tmp_path / "dense.zarr" / "train" / "features" / "c" / "1" / "0").unlink()
    extract_toys(tmp_path)
    assert toys.files(tmp_path) == undisturbed


def test_extraction_twice_gives_equal_bytes(tmp_path, undisturbed):
    extract_toys(tmp_path)
    assert toys.files(tmp_path) == undisturbed


@pytest.mark.parametrize("writes", [3, 30, 50])
def test_full_disk(tmp_path, undisturbed, monkeypatch, writes):
    """The writer meets ENOSPC after some files, wherever it is; a second call finishes."""
    left = [writes]

    def write_until_full(path, content):
        if not left[0]:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        left[0] -= 1
        durably(path, content)

    durably = work_module.write_durably
    for module in ("fbftl.features.store.work", "fbftl.features.store.location"):
        monkeypatch.setattr(f"{module}.write_durably", write_until_full)
    with pytest.raises(UserError, match=r"could not be written .No space left on device"):
        extract_toys(tmp_path)
    monkeypatch.undo()
    assert not any(tmp_path.glob("*.json"))
    extract_toys(tmp_path)
    assert toys.files(tmp_path) == undisturbed


def test_really_full_disk(undisturbed):
    """A tmpfs of 64 KiB, where the system lets us mount one."""
    with small_disk("64k") as disk:
        with pytest.raises(UserError, match=r"could not be written .No space left on device"):
            extract_toys(disk)
        subprocess.run(["mount", "-o", "remount,size=4m", disk], check=True)
        extract_toys(disk)
        assert toys.files(disk) == undisturbed


@contextmanager
def small_disk(size):
    import tempfile

    folder = tempfile.mkdtemp()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        os.rmdir(folder)
        pytest.skip("no right to mount a tmpfs here")
    try:
        yield Path(folder)
    finally:
        subprocess.run(["umount", folder], check=True)
        os.rmdir(folder)


def test_ctrl_c(tmp_path, undisturbed):
    with pytest.raises(KeyboardInterrupt):
        extract_toys(tmp_path, FailingSource(100, KeyboardInterrupt()))
    process = start_extraction(tmp_path)
    wait_for_progress(process, tmp_path)
    os.kill(process.pid, signal.SIGINT)
    assert exit_code(process) != 0
    extract_toys(tmp_path)
    assert toys.files(tmp_path) == undisturbed


def test_rival_extraction_says_who_writes(tmp_path, undisturbed):
    (target, _) = toys.toy_targets(tmp_path)
    rival = start_extraction(tmp_path)
    wait_for_progress(rival, tmp_path)
    os.kill(rival.pid, signal.SIGSTOP)
    try:
        with (
            pytest.raises(UserError, match=f"process {rival.pid} on "),
            store_writer(target, toys.COUNTS, toys.BATCH),
        ):
            pytest.fail("two writers at once")
        with pytest.raises(UserError, match=f"process {rival.pid} on "):
            repair(tmp_path / "dense.zarr", toys.toy_again("dense"))
    finally:
        os.kill(rival.pid, signal.SIGCONT)
    with store_writer(target, toys.COUNTS, toys.BATCH, wait_s=60) as writer:
        assert writer is None  # the rival has finished it meanwhile
    assert exit_code(rival) == 0
    assert toys.files(tmp_path) == undisturbed


def test_lock_on_a_deleted_folder_is_no_lock(tmp_path):
    folder = tmp_path / "work"
    with exclusive(folder):
        (folder / "lock").unlink()
        folder.rmdir()
        with exclusive(folder), pytest.raises(UserError), exclusive(folder):
            pytest.fail("held twice")


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged")
    extract_toys(folder)
    return folder


def error_of_reading(store, whole):
    """Read everything; return the error's message, or "" if every value is as it was."""
    try:
        found = {split: open_store(store).read(split) for split in whole}
    except UserError as error:
        return str(error)
    for split, expected in whole.items():
        np.testing.assert_array_equal(found[split].values, expected.values)
        np.testing.assert_array_equal(found[split].labels, expected.labels)
        np.testing.assert_array_equal(found[split].client, expected.client)
    return ""


def read_all(store):
    return [open_store(store).read(split) for split in toys.COUNTS]


@pytest.mark.parametrize("name", ["dense", "ragged"])
def test_flipped_bits(stores, undisturbed, name):
    """A flip in any file is found by `verify`; no read returns other values; repair undoes it."""
    rng = random.Random(name)
    store = stores / f"{name}.zarr"
    whole = {split: open_store(store).read(split) for split in toys.COUNTS}
    for path in sorted(path for path in store.rglob("*") if path.is_file()):
        content = bytearray(path.read_bytes())
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        (damage,) = verify(store)
        assert (damage.key, damage.reason) == (path.relative_to(store).as_posix(), "damaged")
        message = error_of_reading(store, whole)
        if damage.chunk is not None:
            assert f"Chunk {damage.chunk} of {damage.array}" in message
        if message:  # the metadata of a split or an array may survive a flip
            assert str(store) in message
            assert "snakemake repair_features" in message
        assert repair(store, toys.toy_again(name)) == [damage]
    assert toys.files(stores) == undisturbed


@pytest.mark.parametrize("name", ["dense", "ragged"])
def test_missing_files(stores, undisturbed, name):
    store = stores / f"{name}.zarr"
    rng = random.Random(name)
    paths = sorted(path for path in store.rglob("*") if path.is_file())
    for path in rng.sample(paths, 6):
        path.unlink()
        (damage,) = verify(store)
        assert damage.reason == "missing"
        if damage.chunk is not None:
            with pytest.raises(UserError, match=rf"Chunk {damage.chunk} of .* is missing"):
                read_all(store)
        with pytest.raises(UserError, match="is missing"):
            require_sound(store)
        repair(store, toys.toy_again(name))
    for path in paths:
        path.unlink()
    repair(store, toys.toy_again(name))
    assert toys.files(stores) == undisturbed


def test_files_of_others(stores, undisturbed):
    (stores / "dense.zarr" / "train" / "notes.txt").write_text("mine")
    (damage,) = verify(stores / "dense.zarr")
    assert str(damage).endswith("file train/notes.txt is unexpected")
    repair(stores / "dense.zarr", toys.toy_again("dense"))
    assert toys.files(stores) == undisturbed


@pytest.mark.parametrize("damage", ["flipped", "missing", "not json", "a list"])
def test_damaged_manifest(stores, undisturbed, damage):
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
    repair(stores / "dense.zarr", toys.toy_again("dense"))
    assert toys.files(stores) == undisturbed


def test_manifest_and_store_both_damaged(tmp_path):
    extract_toys(tmp_path)
    (tmp_path / "dense.json").unlink()
    (tmp_path / "dense.zarr" / "train" / "labels" / "c" / "0").unlink()
    with pytest.raises(UserError, match="Chunk 0 of train/labels"):
        repair(tmp_path / "dense.zarr", toys.toy_again("dense"))


def test_repair_refuses_what_comes_out_differently(stores, undisturbed):
    path = stores / "dense.zarr" / "train" / "features" / "c" / "1" / "0"
    path.unlink()
    other = toys.rows_again(
        toys.ToySource(), lambda arrays: {"dense": toys.dense(arrays) + 1}, "dense", toys.BATCH
    )
    with pytest.raises(UserError, match="comes out differently"):
        repair(stores / "dense.zarr", other)
    assert not path.exists()
    repair(stores / "dense.zarr", toys.toy_again("dense"))
    assert toys.files(stores) == undisturbed


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
