"""What is changed in a finished store with right checksums is not read."""

from pathlib import Path

import numpy as np
import pytest
import zarr
from fbftl.features.extract import extract
from fbftl.features.store.opening import open_store
from fbftl.ground.errors import UserError
from unit.features import store_toys as toys


def extract_toys(folder: Path) -> None:
    extract(toys.ToySource(), toys.toy_forward, toys.toy_targets(folder), batch=toys.BATCH)


def rolled(folder: Path) -> None:
    """Write the labels back rolled by one, as anybody can with zarr: every checksum is right."""
    labels = zarr.open_array(folder / "dense.zarr" / "train" / "labels", mode="r+")
    labels[:] = np.roll(labels[:], 1)


def overwritten(folder: Path) -> None:
    """Overwrite one row of one chunk of features."""
    features = zarr.open_array(folder / "dense.zarr" / "train" / "features", mode="r+")
    features[150] = 7.0


def otherwise_described(folder: Path) -> None:
    """Give the dimensions of an array other names."""
    path = folder / "dense.zarr" / "train" / "labels" / "zarr.json"
    path.write_text(path.read_text().replace('"row"', '"rows"'))


@pytest.mark.parametrize(
    ("alter", "sentence"),
    [
        (rolled, r"Chunk 0 of train/labels .* is damaged \(its sha256 is .*, not the manifest"),
        (overwritten, r"Chunk 1 of train/features .* is damaged \(its sha256 is"),
        (otherwise_described, "metadata of train/labels .* is not what its manifest says"),
    ],
)
def test_what_zarr_overwrites_is_not_read(tmp_path, alter, sentence):
    extract_toys(tmp_path)
    alter(tmp_path)
    with pytest.raises(UserError, match=sentence):
        open_store(tmp_path / "dense.json").read("train", np.arange(100, 203))


def test_rows_are_compared_only_where_they_are_read(tmp_path):
    """A part is vouched for by the digests of the chunks that it touches."""
    extract_toys(tmp_path)
    overwritten(tmp_path)
    values = open_store(tmp_path / "dense.json").read("train", slice(0, 50)).values
    np.testing.assert_array_equal(values, toys.dense(toys.all_rows("train"))[:50])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_features_that_are_no_finite_numbers_stop_the_extraction(tmp_path, value):
    (target, _) = toys.toy_targets(tmp_path)
    broken = lambda arrays: {"dense": toys.dense(arrays) + value}  # noqa: E731
    with pytest.raises(UserError, match="cut dense in split train hold values that are no finite"):
        extract(toys.ToySource(), broken, [target], batch=toys.BATCH)
