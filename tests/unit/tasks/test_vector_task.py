"""Vectors end to end: the workflow's own scripts make a task of them, and every method trains."""

import json

import describe_network
import extract_features
import numpy as np
import partition_clients
import prepare_source
import pytest
from fbftl.data.clients import ClientFile
from fbftl.features.store.opening import open_store
from toy_task import FEATURES, train

DATA = {"kind": "groups", "samples": 400, "test_per_group": 200, "rates": [0.5, 0.5]}
DATA |= {"class_shift": 1.0, "group_shift": 0.5, "limit": None, "seed": 0}
CLIENTS = {"partition": "iid", "samples_per_client": 20, "clients": None, "seed": 0}
MLP = {"kind": "mlp", "fc": [8], "cut": "relu_fc1"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vectors")
    names = {"manifest": "features.json", "network": "network.json", "clients": "clients.h5"}
    names |= {"weights": "source.safetensors", "source": "source.json", "features": "features.zarr"}
    made = {name: str(folder / file) for name, file in names.items()}
    partition_clients.main("fbftl.data.images", made["clients"], DATA, CLIENTS, None, seed=0)
    prepare_source.main(
        "fbftl.training.pretrain", made["weights"], made["source"], {"kind": "vectors"}, {}, None,
        "cpu", 1,
    )  # fmt: skip
    cut = FEATURES | {"cut": "columns"}
    extract_features.main(
        "fbftl.features.images", made["clients"], made["weights"], made["source"],
        [made["features"]], [made["manifest"]], cut, "code", "cpu", 1,
    )  # fmt: skip
    describe_network.main(made["clients"], made["source"], made["network"], cut, [8])
    return made


def test_the_features_of_vectors_are_the_vectors(files):
    stored = open_store(files["manifest"]).read("train")
    with ClientFile(files["clients"]) as file:
        np.testing.assert_array_equal(stored.values, file.column("train", "pixels")[:, 0, 0])


@pytest.mark.parametrize(
    ("method", "network"),
    [
        ("fbftl", None), ("ftl_c", None), ("ftl_f", None), ("released", None), ("fl", None),
        ("sfl", None), ("fl", MLP), ("sfl", MLP), ("fedavg", MLP),
    ],
)  # fmt: skip
def test_every_method_learns_from_vectors(files, tmp_path, method, network):
    axes = {"loss": "reshuffled", "plr": 0.1} if method == "released" else {}
    asked = axes | ({"network": "mlp"} if network else {})
    extra = {"rounds": 15, "local_batch": 10} if method == "fedavg" else {}
    run, _ = train(files, tmp_path, method, network=network, axes=asked, epochs=5, **extra)
    found = json.loads(run.read_text())["repetitions"]
    # Four columns a standard deviation either way: 0.98 at best.
    assert all(one["test_accuracy"] > 0.9 for one in found)
