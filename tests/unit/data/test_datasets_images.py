"""Data sets of encoded images: Parquet files and image folders."""

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fbftl.data.datasets import check, load
from fbftl.data.datasets.base import digest
from fbftl.data.datasets.parquet import read
from fbftl.ground.errors import UserError
from PIL import Image

CLASSES = ("cat", "dog", "eel")


def picture(row, shape=(6, 5, 3)):
    return np.random.default_rng(row).integers(0, 256, shape, dtype=np.uint8)


def png(pixels):
    content = io.BytesIO()
    Image.fromarray(pixels.squeeze()).save(content, "png")
    return content.getvalue()


def write_parquet(path, encoded, labels, image="img", label="label", metadata=None):
    images = [{"bytes": content, "path": None} for content in encoded]
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    table = pa.table({image: pa.array(images, kind), label: labels})
    pq.write_table(table.replace_schema_metadata(metadata), path, row_group_size=4)


def write_folder(root, rows, suffix=".png", shape=(6, 5, 3)):
    for row in rows:
        path = root / CLASSES[row % 3] / f"{row:02d}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(picture(row, shape)))


@pytest.fixture
def folder(tmp_path):
    """Nine training and three test images, as Parquet and as folders."""
    for split, rows in (("train", range(9)), ("test", range(9, 12))):
        encoded = [png(picture(row)) for row in rows]
        write_parquet(tmp_path / f"{split}.parquet", encoded, [row % 3 for row in rows])
        write_folder(tmp_path / split, rows)
    return tmp_path


PARQUET = {"kind": "parquet", "train": "train.parquet", "test": "test.parquet"}
FOLDER = {"kind": "folder", "train": "train", "test": "test"}
BOTH = pytest.mark.parametrize("spec", [PARQUET, FOLDER], ids=["parquet", "folder"])


@BOTH
def test_pixels_and_labels(folder, spec):
    check(spec, folder)
    data = load(spec, folder)
    rows = list(range(9)) if spec is PARQUET else [0, 3, 6, 1, 4, 7, 2, 5, 8]
    np.testing.assert_array_equal(data.train.inputs, [picture(row) for row in rows])
    np.testing.assert_array_equal(data.train.labels, [row % 3 for row in rows])
    np.testing.assert_array_equal(data.test.inputs, [picture(row) for row in range(9, 12)])
    assert data.classes == (CLASSES if spec is FOLDER else ("0", "1", "2"))


@BOTH
def test_images_that_do_not_fit_in_memory_stay_encoded(folder, spec, monkeypatch):
    decoded = load(spec, folder)
    monkeypatch.setattr("fbftl.data.datasets.base.IN_MEMORY_BYTES", 10)
    lazy = load(spec, folder)
    assert isinstance(decoded.train.inputs, np.ndarray)
    assert not isinstance(lazy.train.inputs, np.ndarray)
    assert lazy.train.inputs.shape == decoded.train.inputs.shape
    np.testing.assert_array_equal(lazy.train.inputs[2:5], decoded.train.inputs[2:5])
    some = np.array([7, 0, 3])
    np.testing.assert_array_equal(
        lazy.train.take(some).inputs[0:3], decoded.train.take(some).inputs
    )
    assert digest(lazy) == digest(decoded)


@BOTH
def test_images_of_different_shapes_need_a_size(folder, spec):
    write_folder(folder / "train", [8], shape=(7, 9, 3))
    encoded = [png(picture(row)) for row in range(8)] + [png(picture(8, (7, 9, 3)))]
    write_parquet(folder / "train.parquet", encoded, [row % 3 for row in range(9)])
    with pytest.raises(UserError, match=r"is 9 x 7 pixels and .* is 5 x 6; set data.size"):
        load(spec, folder)
    assert load({**spec, "size": 8}, folder).train.inputs.shape == (9, 8, 8, 3)


@BOTH
@pytest.mark.parametrize("content", [b"", b"not an image", png(picture(0))[:-40]])
def test_a_damaged_image_is_named(folder, spec, content):
    (folder / "train" / "dog" / "04.png").write_bytes(content)
    encoded = [png(picture(row)) for row in range(9)]
    encoded[4] = content
    write_parquet(folder / "train.parquet", encoded, [row % 3 for row in range(9)])
    name = "image 4 of .*train.parquet" if spec is PARQUET else "dog/04.png"
    with pytest.raises(UserError, match=f"{name} is damaged or not an image"):
        load(spec, folder)


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_an_image_that_claims_too_many_pixels(folder):
    wide = Image.new("1", (2**14, 2**13))
    wide.save(folder / "train" / "cat" / "00.png")
    with pytest.raises(UserError, match=r"00.png claims 16384 x 8192 pixels"):
        load(FOLDER, folder)


def write_named(folder, names):
    features = {"info": {"features": {"label": {"names": list(names), "_type": "ClassLabel"}}}}
    metadata = {"huggingface": json.dumps(features)}
    encoded, labels = [png(picture(row)) for row in range(9)], [row % 3 for row in range(9)]
    write_parquet(folder / "train.parquet", encoded, labels, metadata=metadata)


def test_class_names_of_hugging_face(folder):
    write_named(folder, CLASSES)
    assert load(PARQUET, folder).classes == CLASSES
    assert load(PARQUET | {"classes": [2, "cat"]}, folder).classes == ("eel", "cat")


def test_a_number_that_is_a_label_and_the_name_of_another_is_refused(folder):
    write_named(folder, ["1", "2", "3"])
    with pytest.raises(UserError, match=r"has 1, which may be a label .* or its name, as in '1'"):
        check(PARQUET | {"classes": [1, 2]}, folder)
    assert load(PARQUET | {"classes": ["3", "1"]}, folder).classes == ("3", "1")


def test_a_shard_without_rows_is_passed_over(folder):
    write_parquet(folder / "a.parquet", [], pa.array([], pa.int64()))
    check(PARQUET | {"train": ["a.parquet", "train.parquet"]}, folder)


def test_a_parquet_file_that_would_fill_the_memory(folder, monkeypatch):
    monkeypatch.setattr("fbftl.data.datasets.base.MAX_BYTES", 100)
    with pytest.raises(UserError, match=r"claims to unpack to .* bytes, more than 100"):
        check(PARQUET, folder)


def test_rows_that_repeat_an_image_hold_it_once(tmp_path):
    """A dictionary makes a small file of any size; in memory it may not become larger."""
    encoded = png(picture(0)) + bytes(100_000)
    images = pa.array([{"bytes": encoded}] * 3000, pa.struct([("bytes", pa.binary())]))
    pq.write_table(pa.table({"img": images, "label": [0, 1] * 1500}), tmp_path / "train.parquet")
    assert (tmp_path / "train.parquet").stat().st_size < 3000 * len(encoded) / 100
    inputs = load({**PARQUET, "test": None, "test_fraction": 0.5}, tmp_path).train.inputs
    assert np.array_equal(inputs[7:8][0], picture(0))
    (samples,), _ = read({"train": "train.parquet"}, tmp_path)
    sources = samples.inputs.sources
    assert len({id(source) for source in sources}) == 1


def test_a_count_of_rows_that_would_fill_the_memory(tmp_path, monkeypatch):
    """Equal labels take no room in a file, and eight bytes each in memory."""
    path = tmp_path / "train.parquet"
    images = pa.array([{"bytes": b""}] * 20_000, pa.struct([("bytes", pa.binary())]))
    pq.write_table(pa.table({"img": images, "label": [0] * 20_000}), path)
    monkeypatch.setattr("fbftl.data.datasets.base.MAX_BYTES", 8 * 20_000)
    assert path.stat().st_size < 8 * 20_000
    with pytest.raises(UserError, match="claims to unpack to"):
        check({**PARQUET, "test": None}, tmp_path)


def test_a_folder_without_images(folder):
    (folder / "empty" / "cat").mkdir(parents=True)
    (folder / "empty" / "cat" / "notes.txt").touch()
    (folder / "empty" / "cat" / "._1.png").touch()
    with pytest.raises(UserError, match=r"data.train: .*empty holds no images"):
        check({"kind": "folder", "train": "empty"}, folder)


def test_a_class_without_images_and_one_that_training_lacks(folder):
    (folder / "train" / "fox").mkdir()
    with pytest.raises(UserError, match=r"class folder .*fox holds no images"):
        check(FOLDER, folder)
    (folder / "train" / "fox").rmdir()
    write_folder(folder / "more", range(9))
    (folder / "more" / "cat").rename(folder / "more" / "ape")
    with pytest.raises(UserError, match=r"data.test has the class 'ape'"):
        check({**FOLDER, "test": "more"}, folder)
