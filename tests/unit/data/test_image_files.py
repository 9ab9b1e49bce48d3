"""What image files may hold beside plain 8-bit pixels, and folders that clients have."""

import unicodedata
from pathlib import Path

import numpy as np
import pytest
from fbftl.data.datasets import check, class_count, load, named_clients, outline
from fbftl.data.datasets import require_named_clients as require
from fbftl.data.datasets.images import EncodedImages
from fbftl.ground.digests import listing_digest
from fbftl.ground.errors import UserError
from PIL import Image

SPEC = {"kind": "folder", "train": "pictures", "size": None, "channels": 1, "test_fraction": 0.5}


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
    dataset = load(SPEC | {"test": "pictures"}, pictures)
    assert dataset.classes == ("cat", "dog")
    assert dataset.train.labels.tolist() == [0, 0, 1, 1]
    assert dataset.train.inputs[:, 0, 0, 0].tolist() == [10, 20, 30, 40]
    left_out, nested = outline(SPEC, pictures).notes
    assert "2 files below" in left_out
    assert "are left out" in left_out
    assert "1 of 2 class folders hold folders" in nested
    assert named_clients(SPEC, pictures) is None


def test_a_given_partition_needs_data_that_name_clients(pictures):
    block = {"data": SPEC, "clients": {"partition": "given", "domains": None}}
    with pytest.raises(UserError, match=r"tasks\.zoo\.clients\.partition is 'given', but the data"):
        require("zoo", block, pictures)


def test_links_are_followed_and_hidden_folders_left_out(tmp_path):
    """Case 08: what a folder's digest lists is what is read, however it lies there."""
    for value, name in enumerate(["a/1", "a/.thumbnails/2", "b/1", "store/3", "store/deep/4"]):
        put(tmp_path / ("pictures" if name[0] in "ab" else "") / f"{name}.png", value)
    (tmp_path / "pictures/a/more").symlink_to(tmp_path / "store")
    (tmp_path / "pictures/a/circle").symlink_to(tmp_path / "pictures")
    check(SPEC, tmp_path)
    dataset = load(SPEC | {"test": "pictures"}, tmp_path)
    assert dataset.train.labels.tolist() == [0, 0, 0, 1]
    before = listing_digest(tmp_path / "pictures")
    put(tmp_path / "pictures/a/.thumbnails/5.png", 9)
    assert listing_digest(tmp_path / "pictures") == before


def test_names_in_both_forms_of_unicode_are_one_class(tmp_path):
    for form in ("NFC", "NFD"):
        put(tmp_path / "pictures" / unicodedata.normalize(form, "é") / f"{form}.png", 1)
    put(tmp_path / "pictures" / "x" / "1.png", 2)
    assert class_count(SPEC, tmp_path) == 2
    named = load(SPEC | {"test": "pictures", "classes": ["x", "\u00e9"]}, tmp_path)
    assert named.train.labels.tolist() == [0, 1, 1]


@pytest.mark.parametrize("names", [["train", "val"], ["Train"], ["training", "test", "valid"]])
def test_folders_of_splits_are_no_classes(tmp_path, names):
    for name in names:
        put(tmp_path / "pictures" / name / "cat" / "1.png", 1)
    with pytest.raises(UserError, match="which are splits, not classes; name one of them in"):
        check(SPEC, tmp_path)
