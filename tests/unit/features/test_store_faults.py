"""Kills, full disks and rivals: an extraction goes on where it was, or says why not."""

import multiprocessing
import random
import time

import pytest
from fbftl.ground.files import remove_leftovers
from unit.features import store_toys as toys
from unit.features.fault_toys import FailingSource, StopError, extract_toys


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


def test_eight_kills(tmp_path, undisturbed):
    """One extraction is killed 8 times at seeded moments of its progress, then left to finish."""
    moments = random.Random(3)
    for _ in range(8):
        process = start_extraction(tmp_path)
        wait_for_progress(process, tmp_path)
        time.sleep(moments.uniform(0, 0.15))
        process.kill()
        process.join()
        remove_leftovers(tmp_path)  # as the store does before it is filled
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
    lock = toys.lock_of(folder) / "lock"
    while process.is_alive():
        if lock.exists() and f"process {process.pid} " in lock.read_text():
            return
        time.sleep(0.005)


@pytest.mark.parametrize("seed", range(3))
def test_power_loss(tmp_path, undisturbed, seed):
    """Whatever the cut left of the last files is dropped: torn, emptied, zeroed or lost."""
    with pytest.raises(StopError):
        extract_toys(tmp_path, FailingSource(150, StopError()))
    rng = random.Random(seed)
    work = [path for path in tmp_path.rglob("*") if path.is_file()]
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
