"""What a second extraction takes over from the first, and what it makes again."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from fbftl.features.extract import extract
from fbftl.features.store.format import FeatureKind, Ragged
from fbftl.features.store.reader import open_store
from fbftl.features.store.writer import WorkFolder
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


@pytest.fixture
def work(tmp_path):
    """A work folder with one finished chunk, as what finds it again, and its record."""
    found = partial(WorkFolder, tmp_path / "work", splits=["train"])
    columns = {
        "labels": Ragged.from_lengths(np.arange(6), np.array([1, 2, 3])),
        "sample": np.arange(3),
    }
    found({"cut": "fc1"}).add(
        "train", kind=FeatureKind(4, False), units=3, key="c/0", content=b"abc", columns=columns
    )  # fmt: skip
    assert len(found({"cut": "fc1"}).chunks["train"]) == 1
    return found, tmp_path / "work/rows/train.0.npz"


def test_a_record_of_which_any_byte_changed_is_made_again(work):
    found, path = work
    whole = path.read_bytes()
    for place in range(0, len(whole), 5):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert found({"cut": "fc1"}).chunks["train"] == []
    path.write_bytes(whole)
    assert len(found({"cut": "fc1"}).chunks["train"]) == 1


def test_records_that_could_not_be_removed_are_of_no_other_extraction(work, monkeypatch):
    monkeypatch.setattr("shutil.rmtree", lambda path, ignore_errors=False: None)
    found, path = work
    assert found({"cut": "fc2"}).chunks["train"] == []
    assert path.exists()


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
