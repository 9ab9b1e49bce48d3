"""Bad input is refused when the plan is made, in one sentence: what, where and what to do."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.plan.opened import Prepared
from unit.data.test_datasets_idx import encode

TOY = Path(__file__).parents[2] / "workflow" / "toy.yaml"


def own_task(**blocks: Any) -> dict[str, Any]:
    """Return an overlay with a task of its own instead of the toy study's."""
    source = {"kind": "pretrain", "image": [8, 8, 1]}
    task = {"data": {"kind": "digits"}, "source": source, "features": {"cut": "fc1"}}
    return {"study": {"tasks": ["own"]}, "tasks": {"own": task | blocks}}


@pytest.fixture
def refusal(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[dict[str, Any]], str]:
    """What returns the one sentence with which the plan of a study is refused."""
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setenv("FBFTL_STORE", str(tmp_path / "store"))

    def sentence(study: dict[str, Any]) -> str:
        with pytest.raises(UserError) as refused:
            Prepared.of_files(root, [str(TOY)], study).plan()
        assert str(refused.value).isprintable()
        return str(refused.value)

    return sentence


def truncated_gzip(folder: Path) -> tuple[dict[str, Any], str]:
    files = {"images": "images.gz", "labels": "labels.gz"}
    (folder / "images.gz").write_bytes(encode(np.zeros((10, 8, 8)), zipped=True)[:-9])
    (folder / "labels.gz").write_bytes(encode(np.zeros(10), zipped=True))
    return own_task(data={"kind": "idx", "train": files}), "images.gz"


def wrong_digest(folder: Path) -> tuple[dict[str, Any], str]:
    (folder / "weights.safetensors").write_bytes(b"something else")
    source = {
        "kind": "load",
        "from": "torchvision",
        "name": "vgg16",
        "weights": "file",
        "file": str(folder / "weights.safetensors"),
        "sha256": "0" * 64,
    }
    return own_task(source=source), "weights.safetensors has sha256 "


@pytest.mark.parametrize("fault", [truncated_gzip, wrong_digest])
def test_a_faulty_file(refusal, tmp_path, fault):
    study, what = fault(tmp_path)
    assert what in refusal(study | {"data_folder": str(tmp_path)})
