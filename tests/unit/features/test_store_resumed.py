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
    extract_toys(tmp_path)
    assert toys.files(tmp_path) == undisturbed


def test_other_code_extracts_again(tmp_path):
    """What other code has half done is not mixed with what this code makes."""
    (target, _) = toys.toy_targets(tmp_path)
    other = replace(target, code="c0de")
    with pytest.raises(StopError):
        extract(FailingSource(150, StopError()), toys.toy_forward, [other], batch=toys.BATCH)
    shifted = lambda arrays: {"dense": toys.dense(arrays) + 1}  # noqa: E731
    extract(toys.ToySource(), shifted, [replace(target, code="newer")], batch=toys.BATCH)
    values = open_store(tmp_path / "dense.json").read("train").values
    np.testing.assert_array_equal(values, toys.dense(toys.all_rows("train")) + 1)
