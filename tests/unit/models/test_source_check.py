"""Sources are checked before any job: keys, files, digests."""

import hashlib
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.models.source import check as source_check
from fbftl.training import pretrain
from safetensors.numpy import save_file
from unit.models.source_toys import source_block


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    save_file({"weight": np.ones(2, np.float32)}, tmp_path / "weights.safetensors")
    return tmp_path / "weights.safetensors"


def test_a_file_with_the_right_digest_passes_and_is_watched(weights: Path) -> None:
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    source = source_block(name="vgg16", file=str(weights), sha256=digest)
    source_check.check(source, None)
    assert source_check.files(source, None) == [str(weights)]


def test_a_transformers_folder_is_looked_into_and_watched(tmp_path: Path) -> None:
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
def test_faults_are_named(keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        source_check.check(source_block(**keys), None)


def test_a_data_set_to_pretrain_on_is_checked_and_watched(tmp_path: Path) -> None:
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
def test_weights_that_nobody_publishes_are_one_sentence(keys: dict[str, Any], sentence: str):
    with pytest.raises(UserError, match=sentence):
        source_check.check(source_block(weights="published", **keys), None)


@pytest.mark.parametrize("name", ["../models/vit", "/nowhere/vit", "a/b/c"])
def test_a_folder_that_is_not_there_is_one_sentence(name):
    block = source_block(weights="published", **{"from": "transformers", "name": name})
    with pytest.raises(UserError, match="is no folder here and no name of a repository"):
        source_check.check(block, None)


@pytest.mark.parametrize("text", ["[]", "5", "null", "{", "[" * 10_000, b"\xff"])
def test_a_model_s_config_that_is_no_object_is_refused(tmp_path: Path, text: str | bytes) -> None:
    content = text if isinstance(text, bytes) else text.encode()
    (tmp_path / "config.json").write_bytes(content)
    source = source_block(**{"from": "transformers"}, name=str(tmp_path), weights="random")
    with pytest.raises(UserError, match=r"config\.json (is no JSON|holds no keys)"):
        source_check.check(source, None)
    with pytest.raises(UserError, match=r"config\.json (is no JSON|holds no keys)"):
        pretrain.load_given(source)


def test_files_that_decide_a_source_are_watched(tmp_path):
    """A folder's preprocessing, and the checkpoint that timm fills a model from."""
    for name in ("config.json", "preprocessor_config.json", "a.safetensors"):
        (tmp_path / name).write_text("{}")
    vit = source_block(**{"from": "transformers"}, weights="random", name=str(tmp_path))
    assert str(tmp_path / "preprocessor_config.json") in source_check.files(vit, None)
    checkpoint = str(tmp_path / "a.safetensors")
    timm = {"from": "timm", "name": "vgg11", "options": {"checkpoint_path": checkpoint}}
    with_checkpoint = source_block(**timm, weights="random")
    assert source_check.files(with_checkpoint, None) == [checkpoint]
    (tmp_path / "a.safetensors").unlink()
    with pytest.raises(UserError, match=r"checkpoint_path: .* is missing"):
        source_check.check(with_checkpoint, None)
    (tmp_path / "preprocessor_config.json").write_text("{")
    with pytest.raises(UserError, match=r"preprocessor_config\.json is no JSON"):
        source_check.check(vit, None)


@pytest.mark.parametrize("name", ["a.pth", "a.pth.tar", "a.npz", "a", "a.SAFETENSORS"])
def test_a_checkpoint_that_timm_would_unpickle_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    source = source_block(**{"from": "timm"}, name="resnet18", weights="random")
    options = {"checkpoint_path": str(tmp_path / name)}
    with pytest.raises(UserError, match=r"checkpoint_path: .* is not named \.safetensors"):
        source_check.check(source | {"options": options}, None)


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
