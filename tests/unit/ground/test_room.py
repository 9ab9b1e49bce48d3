"""Room for large arrays: RAM up to a bound, files beyond it."""

import os

import fbftl.ground.room as module
import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.ground.room import Room, mapped, parts


@pytest.mark.parametrize("memory", [None, 0, 8 * 10**5 - 1, 8 * 10**5])
def test_rows_are_the_same_wherever_they_lie(tmp_path, monkeypatch, memory):
    monkeypatch.setattr(module, "PART_BYTES", 999)
    values = np.random.default_rng(0).random((1000, 100))
    rows = Room(memory, tmp_path).rows(values.shape, lambda part: values[part], float)
    np.testing.assert_array_equal(rows, values)
    assert isinstance(rows, np.memmap) == (memory is not None and memory < values.nbytes)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("shape", [(7, 10), (1, 10**6), (0, 4), (5,)])
def test_parts_cover_every_row_once(shape, monkeypatch):
    monkeypatch.setattr(module, "PART_BYTES", 100)
    rows = [row for part in parts(shape) for row in range(part.start, part.stop)]
    assert rows == list(range(shape[0]))


def test_what_fits_nowhere_is_refused(tmp_path, monkeypatch):
    with pytest.raises(UserError, match=r"4e-07 GB, .* is 1e-07 GB; name .* scratch_folder"):
        Room(100).empty((100,))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(UserError, match=r"no room for .*No space left.*scratch_folder"):
        mapped((100,), tmp_path)
