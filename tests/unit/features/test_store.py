"""Format, reading, subsets and streams of finished stores."""

import shutil
import tracemalloc

import fbftl.ground.room as room_module
import numpy as np
import pytest
import zarr
from fbftl.features.extract import extract
from fbftl.features.store.format import Ragged, as_column, from_storage, storage_dtype, to_storage
from fbftl.features.store.manifest import location
from fbftl.features.store.provenance import Target
from fbftl.features.store.publish import writer_of
from fbftl.features.store.reader import open_store
from fbftl.ground.errors import UserError
from fbftl.ground.room import Room
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.features import store_toys as toys


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("stores")
    extract(toys.ToySource(), toys.toy_forward, toys.toy_targets(path), batch=toys.BATCH)
    return path


@pytest.fixture
def dense(folder):
    return open_store(folder / "dense.json")


@pytest.fixture
def ragged(folder):
    return open_store(folder / "ragged.json")


def test_holds_what_the_model_gave(dense):
    for split in toys.COUNTS:
        arrays, features = toys.all_rows(split), dense.read(split)
        np.testing.assert_array_equal(features.values, toys.dense(arrays))
        np.testing.assert_array_equal(features.labels, arrays["label"])
        np.testing.assert_array_equal(features.sample, np.arange(toys.COUNTS[split]))
        np.testing.assert_array_equal(features.client, np.arange(toys.COUNTS[split]) // 8)
        assert features.client.dtype == np.int32


def test_holds_ragged_rows_and_tokens(ragged):
    for split in toys.COUNTS:
        arrays, features = toys.all_rows(split), ragged.read(split)
        rows = Ragged(features.values, features.offsets).rows()
        for row, expected in zip(rows, toys.ragged(arrays), strict=True):
            np.testing.assert_array_equal(row, expected)
        tokens = Ragged(features.tokens, features.token_offsets).rows()
        for row, expected in zip(tokens, arrays["tokens"], strict=True):
            np.testing.assert_array_equal(row, expected)


def test_opens_with_plain_zarr_and_xarray(folder, dense):
    xarray = pytest.importorskip("xarray")
    group = zarr.open_group(folder / "dense.zarr", mode="r")
    np.testing.assert_array_equal(group["train/features"][:], dense.read("train").values)
    assert group.attrs["cut"] == "dense"
    with xarray.open_zarr(folder / "dense.zarr", group="test", consolidated=False) as data:
        assert data["features"].dims == ("row", "feature")
        np.testing.assert_array_equal(data["labels"], dense.labels("test"))
    with xarray.open_zarr(folder / "ragged.zarr", group="test", consolidated=False) as data:
        assert data["features"].dims == ("token", "feature")


@pytest.fixture(scope="module")
def whole(folder):
    """The training rows of both stores."""
    return [open_store(folder / f"{name}.json").read("train") for name in ("dense", "ragged")]


@settings(max_examples=20, deadline=None)
@given(rows=st.lists(st.integers(0, toys.COUNTS["train"] - 1), max_size=60))
def test_subset_equals_subset_of_the_whole(folder, whole, rows):
    index, (of_dense, of_ragged) = np.array(rows, dtype=np.int64), whole
    dense, ragged = open_store(folder / "dense.json"), open_store(folder / "ragged.json")
    np.testing.assert_array_equal(dense.read("train", index).values, of_dense.values[index])
    part, every = ragged.read("train", index), Ragged(of_ragged.values, of_ragged.offsets).rows()
    expected = [every[row] for row in rows]
    assert len(part) == len(rows)
    for row, wanted in zip(Ragged(part.values, part.offsets).rows(), expected, strict=False):
        np.testing.assert_array_equal(row, wanted)
    np.testing.assert_array_equal(np.diff(part.offsets), [len(row) for row in expected])


def test_subset_reads_only_the_chunks_it_touches(folder, dense):
    """Every other chunk is taken away; a subset must not miss them."""
    per_chunk, _ = dense.array("train", "features").chunks
    rows = np.array([per_chunk, per_chunk + 1, toys.COUNTS["train"] - 1])
    chunks = folder / "dense.zarr" / "train" / "features" / "c"
    away = [path for path in chunks.iterdir() if path.name not in {"1", "2"}]
    for path in away:
        path.rename(path.with_name(f"away{path.name}"))
    try:
        np.testing.assert_array_equal(dense.read("train", rows).sample, rows)
        with pytest.raises(UserError, match="Chunk 0 of train/features"):
            dense.read("train", np.array([0]))
        assert len(dense.labels("train")) == toys.COUNTS["train"]
    finally:
        for path in away:
            path.with_name(f"away{path.name}").rename(path)


def test_no_store(tmp_path):
    with pytest.raises(UserError, match="is missing"):
        open_store(tmp_path / "dense.json")
    (target, _) = toys.toy_targets(tmp_path)
    extract(toys.ToySource(), toys.toy_forward, [target], batch=toys.BATCH)
    shutil.rmtree(target.store)
    with pytest.raises(UserError, match="no finished feature store"):
        open_store(target.manifest_path)
    with pytest.raises(UserError, match="cannot be used"):
        location("nonsense://bucket/features.zarr")


@pytest.mark.parametrize("name", ["dense", "ragged"])
@pytest.mark.parametrize("rows", [None, slice(3, 150), np.array([5, 190, 17, 17])])
def test_rows_in_a_file_are_those_in_memory(folder, tmp_path, monkeypatch, name, rows):
    monkeypatch.setattr(room_module, "PART_BYTES", 7 * 4 * toys.WIDTH)
    store = open_store(folder / f"{name}.json")
    inside = store.read("train", rows)
    outside = store.read("train", rows, Room(0, tmp_path))
    assert isinstance(outside.values, np.memmap)
    np.testing.assert_array_equal(outside.values, inside.values)
    np.testing.assert_array_equal(outside.labels, inside.labels)


def test_reading_into_a_file_stays_in_its_memory_bound(tmp_path, monkeypatch):
    rows, width = 2000, 512  # 4.1 MB of features
    monkeypatch.setattr(room_module, "PART_BYTES", 2**18)
    target = Target(tmp_path / "big.zarr", toys.toy_provenance("c"), chunk_bytes=65536)
    values = np.random.default_rng(0).random((rows, width), np.float32)
    ids = np.arange(rows)
    columns = {"labels": ids, "client": ids.astype(np.int32), "sample": ids}
    writer = writer_of(target, {"train": rows}, batch=rows)
    writer.append("train", 0, values, columns)
    writer.publish()
    store = open_store(tmp_path / "big.json")
    store.read("train", room=Room(0, tmp_path))  # ids and Zarr's own caches
    tracemalloc.start()
    read = store.read("train", room=Room(0, tmp_path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_array_equal(read.values, values)
    assert peak < 2_500_000  # chunks being read, a part, ids


@pytest.mark.parametrize(
    ("dtype", "error"), [("float32", 0.0), ("float16", 2**-11), ("bfloat16", 2**-8)]
)
@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(2**-14, 60000, width=32), min_size=1, max_size=50))
def test_storage_dtypes_round_within_their_stated_error(dtype, error, numbers):
    values = np.array(numbers, np.float32)[:, None]
    back = from_storage(to_storage(values, dtype), dtype)
    assert back.dtype == np.float32
    assert np.all(np.abs(back - values) <= error * np.abs(values))
    np.testing.assert_array_equal(from_storage(to_storage(back, dtype), dtype), back)


def test_bad_dtypes_are_refused():
    with pytest.raises(UserError, match="does not fit float16"):
        to_storage(np.array([70000.0]), "float16")
    with pytest.raises(UserError, match="unknown"):
        storage_dtype("float17")


@settings(max_examples=8, deadline=None)
@given(
    lengths=st.lists(st.integers(0, 12), min_size=1, max_size=12),
    chunk_bytes=st.integers(1, 400),
    batch=st.integers(1, 9),
)
def test_ragged_round_trip(tmp_path_factory, lengths, chunk_bytes, batch):
    path = tmp_path_factory.mktemp("ragged")
    rng = np.random.default_rng(len(lengths))
    features = [rng.random((n, 3), np.float32) for n in lengths]
    labels = [rng.integers(0, 99, n % 6).astype(np.int32) for n in lengths]
    target = Target(path / "f.zarr", toys.toy_provenance("c"), chunk_bytes=chunk_bytes)
    writer = writer_of(target, {"train": len(lengths)}, batch)
    for start in range(0, len(lengths), batch):
        rows = slice(start, start + batch)
        ids = np.arange(len(lengths))[rows]
        columns = {"labels": as_column(labels[rows]), "client": ids, "sample": ids}
        writer.append("train", start, as_column(features[rows]), columns)
    writer.publish()
    store = open_store(path / "f.json")
    rows_read = store.read("train")
    for row, expected in zip(
        Ragged(rows_read.values, rows_read.offsets).rows(), features, strict=True
    ):
        np.testing.assert_array_equal(row, expected)
    for row, expected in zip(store.labels("train").rows(), labels, strict=True):
        np.testing.assert_array_equal(row, expected)
