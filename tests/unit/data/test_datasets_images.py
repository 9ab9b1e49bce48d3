"""Data sets of encoded images, Parquet files and folders, and what image files may hold."""

import io
import json
import unicodedata
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fbftl.data.datasets import check, class_count, load, named_clients, outline
from fbftl.data.datasets import require_named_clients as require
from fbftl.data.datasets.base import digest
from fbftl.data.datasets.images import EncodedImages
from fbftl.ground.digests import listing_digest
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
    with pytest.raises(UserError, match=r"data\.test has the class ape"):
        check({**FOLDER, "test": "more"}, folder)


PICTURES = {
    "kind": "folder",
    "train": "pictures",
    "size": None,
    "channels": 1,
    "test_fraction": 0.5,
}


def decoded(path: Path, channels: int = 1) -> np.ndarray:
    return EncodedImages([path], [str(path)], channels, None)[0:1][0]


@pytest.mark.parametrize("suffix", ["png", "tif"])
def test_sixteen_bits_become_eight(tmp_path, suffix):
    """65,535 / 255 = 257, so that 257 k is k."""
    values = np.array([[0, 257, 25700], [32896, 65278, 65535]], np.uint16)
    Image.fromarray(values).save(tmp_path / f"a.{suffix}")
    assert decoded(tmp_path / f"a.{suffix}")[..., 0].tolist() == [[0, 1, 100], [128, 254, 255]]


def test_what_is_transparent_is_white(tmp_path):
    pixels = np.array([[[9, 8, 7, 0], [9, 8, 7, 255], [0, 0, 0, 51]]], np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    # A fifth of black on white: 255 * 4 / 5.
    assert decoded(tmp_path / "a.png", 3).tolist() == [[[255] * 3, [9, 8, 7], [204] * 3]]


def test_images_lie_as_their_exif_data_say(tmp_path):
    image = Image.fromarray(np.array([[10, 20, 30]], np.uint8))
    exif = Image.Exif()
    exif[0x0112] = 3  # upside down
    image.save(tmp_path / "a.png", exif=exif)
    assert decoded(tmp_path / "a.png")[..., 0].tolist() == [[30, 20, 10]]


def test_animations_and_32_bits_are_refused(tmp_path):
    frames = [Image.new("L", (2, 2), value) for value in (0, 255)]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    Image.fromarray(np.ones((2, 2), np.float32)).save(tmp_path / "a.tif")
    with pytest.raises(UserError, match="has 2 frames; save one"):
        decoded(tmp_path / "a.gif")
    with pytest.raises(UserError, match="values of 32 bits; save"):
        decoded(tmp_path / "a.tif")


def put(path: Path, value: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", (2, 2), value).save(path)


@pytest.fixture
def pictures(tmp_path) -> Path:
    """Two classes; a GIF, a JFIF, what is no image, one outside of them, and one further below."""
    root = tmp_path / "pictures"
    put(root / "cat" / "1.gif", 10)
    put(root / "dog" / "2.png", 30)
    Image.new("L", (2, 2), 40).save(root / "dog" / "3.jfif", format="JPEG")
    (root / "dog" / "notes.txt").write_text("no image")
    put(root / "loose.png", 50)
    put(root / "cat" / "more" / "4.png", 20)
    return tmp_path


def test_files_that_are_no_images_of_a_class_are_left_out_and_told(pictures):
    dataset = load(PICTURES | {"test": "pictures"}, pictures)
    assert dataset.classes == ("cat", "dog")
    assert dataset.train.labels.tolist() == [0, 0, 1, 1]
    assert dataset.train.inputs[:, 0, 0, 0].tolist() == [10, 20, 30, 40]
    left_out, nested = outline(PICTURES, pictures).notes
    assert "2 files below" in left_out
    assert "are left out" in left_out
    assert "1 of 2 class folders hold folders" in nested
    assert named_clients(PICTURES, pictures) is None


def test_a_given_partition_needs_data_that_name_clients(pictures):
    block = {"data": PICTURES, "clients": {"partition": "given", "domains": None}}
    with pytest.raises(UserError, match=r"tasks\.zoo\.clients\.partition is 'given', but the data"):
        require("zoo", block, pictures)


def test_links_are_followed_and_hidden_folders_left_out(tmp_path):
    """Case 08: what a folder's digest lists is what is read, however it lies there."""
    for value, name in enumerate(["a/1", "a/.thumbnails/2", "b/1", "store/3", "store/deep/4"]):
        put(tmp_path / ("pictures" if name[0] in "ab" else "") / f"{name}.png", value)
    (tmp_path / "pictures/a/more").symlink_to(tmp_path / "store")
    (tmp_path / "pictures/a/circle").symlink_to(tmp_path / "pictures")
    check(PICTURES, tmp_path)
    dataset = load(PICTURES | {"test": "pictures"}, tmp_path)
    assert dataset.train.labels.tolist() == [0, 0, 0, 1]
    before = listing_digest(tmp_path / "pictures")
    put(tmp_path / "pictures/a/.thumbnails/5.png", 9)
    assert listing_digest(tmp_path / "pictures") == before


def test_names_in_both_forms_of_unicode_are_one_class(tmp_path):
    for form in ("NFC", "NFD"):
        put(tmp_path / "pictures" / unicodedata.normalize(form, "é") / f"{form}.png", 1)
    put(tmp_path / "pictures" / "x" / "1.png", 2)
    assert class_count(PICTURES, tmp_path) == 2
    named = load(PICTURES | {"test": "pictures", "classes": ["x", "\u00e9"]}, tmp_path)
    assert named.train.labels.tolist() == [0, 1, 1]


@pytest.mark.parametrize("names", [["train", "val"], ["Train"], ["training", "test", "valid"]])
def test_folders_of_splits_are_no_classes(tmp_path, names):
    for name in names:
        put(tmp_path / "pictures" / name / "cat" / "1.png", 1)
    with pytest.raises(UserError, match="which are splits, not classes; name one of them in"):
        check(PICTURES, tmp_path)
