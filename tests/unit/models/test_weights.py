import json
import pickle
import struct

import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256
from fbftl.models.source.manifest import check_digest, fill, read_weights, write_weights
from safetensors.torch import save_file
from torch import nn


class Trap:
    """Unpickling this raises: whoever does it is caught."""

    def __reduce__(self):
        return (exec, ("raise AssertionError('a pickle was loaded')",))


def claiming(*tensors: tuple[str, list[int]]) -> bytes:
    """Return a file that says that its four bytes are each of these tensors."""
    claims = {"dtype": "F32", "data_offsets": [0, 4]}
    text = json.dumps({name: claims | {"shape": shape} for name, shape in tensors}).encode()
    return struct.pack("<Q", len(text)) + text + b"\0" * 4


HOSTILE = {
    "noise": b"not a model at all",
    "header of terabytes": struct.pack("<Q", 2**62) + b"{}",
    "overlapping tensors": claiming(("a", [1]), ("b", [1])),
    "overflowing shape": claiming(("a", [2**40, 2**40])),
}


def test_equal_weights_give_equal_bytes_and_come_back(tmp_path):
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    digests = {write_weights(tmp_path / f"{copy}.safetensors", model) for copy in range(5)}
    assert digests == {sha256(tmp_path / "0.safetensors")}
    other = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    fill(other, read_weights(tmp_path / "0.safetensors", digests.pop()), "file")
    for name, value in model.state_dict().items():
        assert torch.equal(other.state_dict()[name], value)


def test_weights_that_share_memory_are_written(tmp_path):
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    model[1].weight = model[0].weight
    write_weights(tmp_path / "w.safetensors", model)
    state = read_weights(tmp_path / "w.safetensors")
    assert torch.equal(state["0.weight"], state["1.weight"])


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_damaged_and_hostile_files_are_refused(tmp_path, content):
    path = tmp_path / "w.safetensors"
    path.write_bytes(content)
    with pytest.raises(UserError, match="no valid safetensors file"):
        read_weights(path)


@pytest.mark.parametrize("how", ["plain", "torch"])
def test_a_pickle_is_never_loaded(tmp_path, how):
    path = tmp_path / "w.safetensors"
    if how == "plain":
        path.write_bytes(pickle.dumps(Trap()))
    else:
        torch.save({"weight": Trap()}, path)
    with pytest.raises(UserError, match="is a pickle"):
        read_weights(path)


def test_missing_file_and_wrong_digest_are_named(tmp_path):
    path = tmp_path / "w.safetensors"
    with pytest.raises(UserError, match="does not exist"):
        read_weights(path)
    save_file({"weight": torch.ones(2)}, path)
    with pytest.raises(UserError, match=f"has sha256 {sha256(path)}, not {'0' * 64}"):
        check_digest(path, "0" * 64)
    assert check_digest(path, sha256(path).upper()) == sha256(path)


def test_weights_of_another_model_are_refused_with_names():
    model = nn.Linear(3, 4)
    state = {"weight": torch.zeros(4, 5), "scale": torch.zeros(1)}
    expected = 'does not fit .*Missing key.*"bias"'
    with pytest.raises(UserError, match=expected):
        fill(model, state, "w.safetensors")
