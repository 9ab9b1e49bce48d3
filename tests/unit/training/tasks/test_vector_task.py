"""Vectors end to end: the workflow's own scripts make a task of them, and every method trains."""

import json

import numpy as np
import pytest
from fbftl.data.clients import ClientFile
from fbftl.features.store.reader import open_store
from unit.training.tasks.toy_task import train

MLP = {"kind": "mlp", "fc": [8], "cut": "relu_fc1"}


def test_the_features_of_vectors_are_the_vectors(people):
    stored = open_store(people["manifest"]).read("train")
    with ClientFile(people["clients"]) as file:
        np.testing.assert_array_equal(stored.values, file.column("train", "pixels")[:, 0, 0])


@pytest.mark.parametrize(
    ("method", "network"),
    [
        ("fbftl", None), ("ftl_c", None), ("ftl_f", None), ("released", None), ("fl", None),
        ("sfl", None), ("fl", MLP), ("sfl", MLP), ("fedavg", MLP),
    ],
)  # fmt: skip
def test_every_method_learns_from_vectors(people, tmp_path, method, network):
    axes = {"loss": "reshuffled", "plr": 0.1} if method == "released" else {}
    setting = axes | ({"network": "mlp"} if network else {})
    extra = {"rounds": 15, "local_batch": 10} if method == "fedavg" else {}
    run, _ = train(people, tmp_path, method, network=network, axes=setting, epochs=5, **extra)
    repetitions = json.loads(run.read_text())["repetitions"]
    # Four columns a standard deviation either way: 0.98 at best.
    assert all(repetition["test_accuracy"] > 0.9 for repetition in repetitions)
