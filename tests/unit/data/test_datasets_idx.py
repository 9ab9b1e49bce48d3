"""IDX files, and torchvision's data sets without a network."""

import gzip
import struct

import numpy as np
import pytest
from fbftl.data.datasets import check, load
from fbftl.data.datasets.idx import read_file, shape_of
from fbftl.ground.errors import UserError
from hypothesis import given, settings
from hypothesis import strategies as st

SPEC = {"kind": "idx", "train": {"images": "images", "labels": "labels"}, "test_fraction": 0.25}


def encode(values, zipped=False, code=0x08):
    content = struct.pack(f">BBBB{values.ndim}I", 0, 0, code, values.ndim, *values.shape)
    content += values.astype(np.uint8).tobytes()
    return gzip.compress(content, mtime=0) if zipped else content


def images(count=8):
    return np.random.default_rng(0).integers(0, 256, (count, 5, 4), dtype=np.uint8)


@pytest.fixture(params=[False, True], ids=["plain", "gzipped"])
def zipped(request):
    return request.param


@pytest.fixture
def folder(tmp_path, zipped):
    (tmp_path / "images").write_bytes(encode(images(), zipped))
    (tmp_path / "labels").write_bytes(encode(np.arange(8) % 3, zipped))
    return tmp_path


@given(shape=st.tuples(*[st.integers(1, 6)] * 3), zipped=st.booleans(), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_round_trip(tmp_path_factory, shape, zipped, seed):
    path = tmp_path_factory.mktemp("idx") / "images"
    values = np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)
    path.write_bytes(encode(values, zipped))
    assert shape_of(path, axes=3) == shape
    np.testing.assert_array_equal(read_file(path, axes=3), values)


def test_pool_and_own_test_split(folder):
    check(SPEC, folder)
    pool = load(SPEC, folder)
    assert pool.train.inputs.shape == (6, 5, 4, 1)
    assert pool.test.inputs.shape == (2, 5, 4, 1)
    assert pool.classes == ("0", "1", "2")
    dataset = load({**SPEC, "test": SPEC["train"]}, folder)
    np.testing.assert_array_equal(dataset.test.inputs[..., 0], images())
    np.testing.assert_array_equal(dataset.test.labels, np.arange(8) % 3)


def test_test_images_of_another_size_are_refused(folder):
    (folder / "larger").write_bytes(encode(np.zeros((8, 6, 4))))
    larger = {"images": "larger", "labels": "labels"}
    with pytest.raises(UserError, match=r"test holds images of 6 by 4 and data.train of 5 by 4"):
        check({**SPEC, "test": larger}, folder)


@pytest.mark.parametrize("cut", [1, 5, 60])
def test_a_file_cut_short_is_found_by_check(folder, cut):
    content = (folder / "images").read_bytes()
    (folder / "images").write_bytes(content[:-cut])
    with pytest.raises(UserError, match=r"images cannot be read"):
        check(SPEC, folder)


def test_no_truncation_or_bit_flip_of_a_gzipped_file_gives_wrong_pixels(tmp_path):
    path = tmp_path / "images"
    content = encode(images(3), zipped=True)
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(UserError, match=r"cannot be read|is no IDX"):
            shape_of(path, axes=3)
    refused = 0
    for position in range(10, len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 16
        path.write_bytes(damaged)
        try:
            survived = read_file(path, axes=3)
        except UserError:
            refused += 1
        else:
            # A padding bit behind the last deflate block.
            np.testing.assert_array_equal(survived, images(3))
    assert refused >= len(content) - 11


def test_swapped_files(folder):
    swapped = {"kind": "idx", "train": {"images": "labels", "labels": "images"}}
    with pytest.raises(UserError, match="check that images and labels are not swapped"):
        check(swapped, folder)


def test_images_and_labels_that_do_not_belong_together(folder):
    (folder / "labels").write_bytes(encode(np.arange(7)))
    with pytest.raises(UserError, match=r"holds 8 images and .*labels 7 labels"):
        check(SPEC, folder)
    with pytest.raises(UserError, match="give files that belong together"):
        load(SPEC, folder)


def test_missing_foreign_and_empty_files(folder):
    (folder / "labels").unlink()
    with pytest.raises(UserError, match=r"data.train.labels: .*labels is missing"):
        check(SPEC, folder)
    (folder / "labels").write_text("cat\ndog\n")
    with pytest.raises(UserError, match="labels is no IDX file"):
        check(SPEC, folder)
    (folder / "labels").write_bytes(encode(np.arange(0)))
    (folder / "images").write_bytes(encode(images(0)))
    with pytest.raises(UserError, match="holds no samples"):
        load(SPEC, folder)
    (folder / "labels").unlink()
    (folder / "labels").mkdir()
    with pytest.raises(UserError, match="cannot be read"):
        check(SPEC, folder)


FASHION = {"kind": "torchvision", "name": "FashionMNIST"}


def test_the_folder_is_checked(tmp_path):
    check(FASHION, tmp_path)
    with pytest.raises(UserError, match="needs data_folder"):
        check(FASHION, None)


@pytest.fixture
def offline(monkeypatch):
    """torchvision with no way to the network."""
    torchvision_ops = pytest.importorskip("fbftl.ground.torchvision_ops")
    utils = torchvision_ops.import_torchvision().datasets.utils

    def refuse(*args, **kwargs):
        raise OSError("no network")

    monkeypatch.setattr(utils.urllib.request, "urlopen", refuse)


@pytest.mark.usefixtures("offline")
def test_files_that_are_there_are_read_without_a_network(tmp_path):
    raw = tmp_path / "FashionMNIST" / "raw"
    raw.mkdir(parents=True)
    pixels = np.random.default_rng(0).integers(0, 256, (6, 28, 28), dtype=np.uint8)
    for split, count in (("train", 6), ("t10k", 3)):
        (raw / f"{split}-images-idx3-ubyte").write_bytes(encode(pixels[:count]))
        (raw / f"{split}-labels-idx1-ubyte").write_bytes(encode(np.arange(count)))
    data = load(FASHION, tmp_path)
    np.testing.assert_array_equal(data.train.inputs[..., 0], pixels)
    assert data.test.labels.tolist() == [0, 1, 2]
    assert data.classes[0] == "T-shirt/top"


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("FashionMNIST", r"train-images-idx3-ubyte.gz, .*put them in .*FashionMNIST/raw and run"),
        ("CIFAR10", r"cifar-10-python.tar.gz, put it in .* and run again"),
    ],
)
def test_without_a_network_the_message_says_which_files_to_put_where(tmp_path, name, words):
    with pytest.raises(UserError, match=words):
        load({**FASHION, "name": name}, tmp_path)
