"""What a second extraction takes over from the first, and what it makes again."""

from dataclasses import replace

import numpy as np
import pytest
from fbftl.features.extract import extract
from fbftl.features.store.opening import open_store
from unit.features import store_toys as toys
from unit.features.fault_toys import FailingSource, StopError, extract_toys


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


def targets_beside_others(folder, **fields):
    return [replace(target, others=folder.parent) for target in toys.toy_targets(folder, **fields)]


def test_what_another_task_has_extracted_from_the_same_is_linked(tmp_path, undisturbed):
    extract_toys(tmp_path / "one")
    (tmp_path / "two" / "dense.zarr").mkdir(parents=True)
    (tmp_path / "two" / "dense.zarr" / "left").write_text("by another extraction")
    targets = targets_beside_others(tmp_path / "two")
    extract(nothing_to_extract(), toys.toy_forward, targets, batch=toys.BATCH)
    assert toys.files(tmp_path / "two") == undisturbed
    linked = tmp_path / "two" / "dense.zarr" / "train" / "features" / "c" / "0" / "0"
    assert linked.samefile(tmp_path / "one" / linked.relative_to(tmp_path / "two"))


def test_of_another_task_nothing_else_is_linked(tmp_path):
    extract_toys(tmp_path / "one")
    with pytest.raises(AssertionError, match="nothing to extract"):
        extract_toys(tmp_path / "two", nothing_to_extract())  # not told where other tasks are
    targets = targets_beside_others(tmp_path / "two", source="6" * 64)
    with pytest.raises(AssertionError, match="nothing to extract"):
        extract(nothing_to_extract(), toys.toy_forward, targets, batch=toys.BATCH)


def test_a_damaged_store_of_the_task_itself_is_extracted_anew(tmp_path, undisturbed):
    targets = targets_beside_others(tmp_path / "one")
    extract(toys.ToySource(), toys.toy_forward, targets, batch=toys.BATCH)
    chunk = tmp_path / "one" / "dense.zarr" / "train" / "features" / "c" / "0" / "0"
    chunk.write_bytes(chunk.read_bytes()[:-1])
    extract(toys.ToySource(), toys.toy_forward, targets, batch=toys.BATCH)
    assert toys.files(tmp_path / "one") == undisturbed


def test_what_another_task_has_that_is_damaged_is_extracted_anew(tmp_path, undisturbed):
    extract_toys(tmp_path / "one")
    chunk = tmp_path / "one" / "dense.zarr" / "train" / "features" / "c" / "0" / "0"
    chunk.write_bytes(chunk.read_bytes()[:-1])
    targets = targets_beside_others(tmp_path / "two")
    with pytest.raises(AssertionError, match="nothing to extract"):
        extract(nothing_to_extract(), toys.toy_forward, targets, batch=toys.BATCH)
    extract(toys.ToySource(), toys.toy_forward, targets, batch=toys.BATCH)
    assert toys.files(tmp_path / "two") == undisturbed


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
    values = open_store(tmp_path / "dense.json").read("train").values
    np.testing.assert_array_equal(values, toys.dense(toys.all_rows("train")) + 1)


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
