"""The pipelined extraction: several cuts in one pass, overlap, errors."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from fbftl.features.extract import extract, prefetched, sink
from fbftl.features.store.reader import open_store
from fbftl.ground.errors import UserError
from unit.features import store_toys as toys


def extract_with(forward, folder, **options):
    targets = toys.toy_targets(folder)[:1]
    extract(toys.ToySource(), forward, targets, batch=toys.BATCH, **options)


def test_batches_are_staged_in_the_thread_that_reads_them(tmp_path):
    threads = set()

    def stage(arrays):
        threads.add(threading.current_thread())
        return arrays | {"moved": arrays["x"]}

    def forward(arrays):
        assert threading.current_thread() not in threads
        return toys.toy_forward(arrays | {"x": arrays["moved"]})

    extract_with(forward, tmp_path / "staged", stage=stage)
    extract_with(toys.toy_forward, tmp_path / "plain")
    assert toys.files(tmp_path / "staged") == toys.files(tmp_path / "plain")


def test_several_cuts_take_one_pass(tmp_path):
    rows = []

    def counting(arrays):
        rows.append(len(arrays["x"]))
        return toys.toy_forward(arrays)

    extract(toys.ToySource(), counting, toys.toy_targets(tmp_path), batch=toys.BATCH)
    repeats = 2 * 2 * len(toys.COUNTS)  # two rows, twice, per split
    assert sum(rows) == sum(toys.COUNTS.values()) + repeats


def test_one_cut_in_two_dtypes(tmp_path):
    exact = toys.toy_targets(tmp_path)[0]
    short = replace(
        exact, store=tmp_path / "short.zarr", provenance=replace(exact.provenance, dtype="bfloat16")
    )
    extract(toys.ToySource(), toys.toy_forward, [exact, short], batch=toys.BATCH)
    values = [open_store(target.manifest_path).read("test").values for target in (exact, short)]
    np.testing.assert_allclose(values[0], values[1], rtol=2**-8)
    assert not np.array_equal(*values)


def test_errors_of_stages_reach_the_caller():
    def broken():
        yield 1
        raise OSError("decode")

    with prefetched(broken(), 2) as items, pytest.raises(OSError, match="decode"):
        list(items)

    def fail(_):
        raise OSError("write")

    with pytest.raises(OSError, match="write"), sink(fail, 1) as put:
        put(1)
    with pytest.raises(OSError, match="write"), sink(fail, 1) as put:
        any(put(number) for number in range(100))


def test_what_cannot_be_extracted(tmp_path):
    with pytest.raises(UserError, match="no cut 'dense', only other"):
        extract_with(lambda arrays: {"other": toys.dense(arrays)}, tmp_path)
    with pytest.raises(UserError, match=r"shape \(16, 2, 12\)"):
        extract_with(lambda a: {"dense": toys.dense(a).reshape(-1, 2, 12)}, tmp_path)

    class Empty(toys.ToySource):
        def count(self, split):
            return 0

    class Short(toys.ToySource):
        def count(self, split):
            return toys.COUNTS[split] + 1

    targets = toys.toy_targets(tmp_path)
    with pytest.raises(UserError, match="Split train has no samples"):
        extract(Empty(), toys.toy_forward, targets, batch=8)
    with pytest.raises(UserError, match="promised 204 samples and gave 203"):
        extract(Short(), toys.toy_forward, targets, batch=8)


@pytest.mark.parametrize("row", [np.zeros(4), np.arange(4.0), np.array([3e6, -1e6])])
def test_features_that_do_not_vary_are_told(tmp_path, row, caplog):
    def constant(arrays):
        return {"dense": np.tile(row, (len(arrays["x"]), 1)).astype(np.float32)}

    def varying(arrays):
        steps = 0.01 * arrays["x"][:, None] * max(1, abs(row).max())
        return {"dense": (row + steps).astype(np.float32)}

    extract_with(constant, tmp_path / "a")
    [message] = [record.getMessage() for record in caplog.records]
    assert message.startswith("features at dense vary by 0.0e+00 from sample to sample")
    caplog.clear()
    extract_with(varying, tmp_path / "b")
    assert not caplog.records


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_features_that_are_no_finite_numbers_stop_the_extraction(tmp_path, value):
    with pytest.raises(UserError, match="cut dense in split train hold values that are no finite"):
        extract_with(lambda arrays: {"dense": toys.dense(arrays) + value}, tmp_path)
