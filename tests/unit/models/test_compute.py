"""Kinds of computing: the same features but for rounding."""

import numpy as np
import pytest
import torch
from fbftl.data.preprocess import Preprocessing
from fbftl.ground.errors import UserError
from fbftl.ground.exact import Machine, is_pinned, sentence
from fbftl.ground.floats import BFLOAT16, FLOAT32
from fbftl.models.forward import forward_fn
from fbftl.models.networks import vgg
from fbftl.plan.opened import computed_otherwise

IMAGE = (8, 8, 1)
PREPROCESSING = Preprocessing(None, (0.3,), (0.4,))
CUTS = ["pool1", "relu_fc1"]
MACHINE = Machine(
    "x86_64", "one of ours", frozenset({"avx2", "fma", "amx_bf16"}), "glibc 2.36", "3.11", gpu=False
)
ROUNDING = 0.05
"""How far features of about 1 may be from those of float32."""


def test_features_differ_by_rounding_alone():
    """For batches of several sizes."""
    torch.manual_seed(0)
    model = vgg(IMAGE, [[4, 4], [6]], [16], 5, dropout=0.5)
    pixels = np.random.default_rng(0).integers(0, 256, (10, *IMAGE), np.uint8)
    plain, other = (
        forward_fn(model, CUTS, PREPROCESSING, IMAGE, "flatten", compute=name)
        for name in (FLOAT32, BFLOAT16)
    )
    for rows in (10, 4, 1):  # whole batches, smaller ones, and a lone last image
        expected, features = (forward({"pixels": pixels[:rows]}) for forward in (plain, other))
        assert list(features) == CUTS
        for cut in CUTS:
            assert features[cut].dtype == np.float32
            np.testing.assert_allclose(features[cut], expected[cut], atol=ROUNDING)
    assert not np.array_equal(features["relu_fc1"], expected["relu_fc1"])


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
