"""torchvision's data sets, without a network."""

import numpy as np
import pytest
from fbftl.data.datasets import check, load
from fbftl.ground.errors import UserError
from unit.data.test_datasets_idx import encode

SPEC = {"kind": "torchvision", "name": "FashionMNIST"}


def test_the_folder_is_checked(tmp_path):
    check(SPEC, tmp_path)
    with pytest.raises(UserError, match="needs data_folder"):
        check(SPEC, None)


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
    data = load(SPEC, tmp_path)
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
        load({**SPEC, "name": name}, tmp_path)
