"""Kinds of computing: the same features but for rounding, and refusals where they cannot be."""

import re
import shutil
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from fbftl.data.preprocess import Preprocessing
from fbftl.ground.errors import UserError
from fbftl.ground.exact import Machine, is_pinned, sentence, this_machine
from fbftl.models import compute, computes
from fbftl.models.computes import (
    BFLOAT16,
    COMPILED,
    FLOAT32,
    ONNXRUNTIME,
    computed_otherwise,
    require_computable,
)
from fbftl.models.forward import forward_fn
from fbftl.models.networks import vgg

IMAGE = (8, 8, 1)
PREPROCESSING = Preprocessing(None, (0.3,), (0.4,))
CUTS = ["pool1", "relu_fc1"]
MACHINE = Machine(
    "x86_64", "one of ours", frozenset({"avx2", "fma", "amx_bf16"}), "glibc 2.36", "3.11", gpu=False
)
OLDER = replace(MACHINE, features=frozenset({"avx2", "fma"}))
ROUNDING = {BFLOAT16: 0.05, ONNXRUNTIME: 1e-5}
"""How far features of about 1 may be from those of float32."""


def missing(kind: str) -> str | None:
    """Return why a kind cannot be computed here, None if it can."""
    try:
        require_computable(kind, "it", "cpu", this_machine())
    except UserError as error:
        return str(error)
    return None


def require_rounding_alone(kind: str) -> None:
    """Compare the features of a kind with those of float32, for batches of several sizes."""
    torch.manual_seed(0)
    model = vgg(IMAGE, [[4, 4], [6]], [16], 5, dropout=0.5)
    pixels = np.random.default_rng(0).integers(0, 256, (10, *IMAGE), np.uint8)
    plain, other = (
        forward_fn(model, CUTS, PREPROCESSING, IMAGE, "flatten", compute=name)
        for name in (FLOAT32, kind)
    )
    for rows in (10, 4, 1):  # whole batches, smaller ones, and a lone last image
        expected, features = (forward({"pixels": pixels[:rows]}) for forward in (plain, other))
        assert list(features) == CUTS
        for cut in CUTS:
            assert features[cut].dtype == np.float32
            np.testing.assert_allclose(features[cut], expected[cut], atol=ROUNDING[kind])
    if kind == BFLOAT16:
        assert not np.array_equal(features["relu_fc1"], expected["relu_fc1"])


@pytest.mark.parametrize("kind", [BFLOAT16, ONNXRUNTIME])
def test_features_differ_by_rounding_alone(kind):
    if reason := missing(kind):
        pytest.skip(reason)
    require_rounding_alone(kind)


def test_a_kind_that_gives_other_features_is_refused(monkeypatch):
    wrong = partial(map, lambda item: (item[0], 1.2 * item[1]))
    monkeypatch.setattr(
        compute, "_compiled", lambda frozen: lambda inputs: dict(wrong(frozen(inputs).items()))
    )
    monkeypatch.setattr(compute, "require_computable", lambda *of_machine: None)
    model = vgg(IMAGE, [[4]], [8], 5, dropout=0.5)
    with pytest.raises(UserError, match=r"features at relu_fc1 that differ .* 0\.2 of the largest"):
        forward_fn(model, ["relu_fc1"], PREPROCESSING, IMAGE, compute=COMPILED)


@pytest.mark.parametrize(
    ("kind", "device", "machine", "reason"),
    [
        (BFLOAT16, "cpu", OLDER, "has none of avx512_bf16"),
        (ONNXRUNTIME, "cuda", MACHINE, "device is cuda; use bfloat16"),
        (ONNXRUNTIME, "cpu", MACHINE, "install envs/onnx.txt"),
        (COMPILED, "cpu", MACHINE, "there is no g++; install one"),
    ],
)
def test_what_a_machine_cannot_compute_is_refused(monkeypatch, kind, device, machine, reason):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(computes, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UserError, match=f"features.compute is {kind}, but .*{re.escape(reason)}"):
        require_computable(kind, "config: tasks.digits.features.compute", device, machine)


def test_a_study_that_computes_otherwise_is_not_exact():
    tasks = {name: {"features": {"compute": FLOAT32}} for name in ("digits", "letters")}
    assert computed_otherwise(tasks) is None
    tasks["letters"]["features"]["compute"] = BFLOAT16
    computed = computed_otherwise(tasks)
    assert computed == "tasks.letters.features.compute is bfloat16"
    assert is_pinned("auto", "cpu", MACHINE)
    assert not is_pinned("auto", "cpu", MACHINE, computed)
    assert sentence(False, "cpu", MACHINE, computed).startswith(f"Not exact, because {computed}")
    with pytest.raises(UserError, match=f"exact is true, but {computed}"):
        is_pinned(True, "cpu", MACHINE, computed)
