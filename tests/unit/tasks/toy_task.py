"""A toy task made by the workflow's own scripts: digits, a tiny source model, its features."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import describe_network
import extract_features
import partition_clients
from fbftl.data.preprocess import Preprocessing
from fbftl.ground.room import RAM, Room
from fbftl.models.source.manifest import SourceModel, build, write_source
from unit.tasks.training import train_setting

DATA = {"kind": "digits", "test_fraction": 0.2, "limit": {"train": 124, "test": 30}, "seed": 0}
CLIENTS = {"partition": "iid", "samples_per_client": 8, "clients": None, "seed": 0}
FEATURES = {"cut": "relu_fc1", "further_cuts": [], "pool": "none", "dtype": "float32", "batch": 64}
FEATURES |= {"size": None, "mean": None, "std": None, "store": None, "chunk_mib": 1}
HEAD = [5]
TRAINING = {
    "epochs": 3,
    "batch": 32,
    "clients_per_round": 3,
    "learning_rate": 0.05,
    "momentum": 0.9,
    "weight_decay": 0.0005,
    "validation": 0.1,
    "selection": "validation",
}


def make_task(folder: Path, clients: Mapping[str, Any] = CLIENTS) -> dict[str, str]:
    """Write a task's files and return their paths as `train_setting` takes them.

    By default there are 16 clients, the last with 4 samples instead of 8, and 3 of them in a round.
    """
    names = {"manifest": "features.json", "network": "network.json", "clients": "clients.h5"}
    names |= {"weights": "source.safetensors", "source": "source.json", "features": "features.zarr"}
    files = {name: str(folder / file) for name, file in names.items()}
    partition_clients.main("fbftl.data.images", files["clients"], DATA, clients, None, seed=0)
    architecture = {"from": "vgg", "image": [8, 8, 1], "channels": [[3], [4]], "fc": [6]}
    architecture |= {"classes": 4}
    model = build(architecture).eval()
    source = SourceModel(model, architecture, Preprocessing(None, (0.5,), (0.25,)), {}, None)
    write_source(files["weights"], files["source"], source)
    extract_features.main(
        "fbftl.features.images", files["clients"], files["weights"], files["source"],
        [files["features"]], [files["manifest"]], FEATURES, "code", "cpu", 1,
    )  # fmt: skip
    describe_network.main(files["clients"], files["source"], files["network"], FEATURES, HEAD)
    return files


def train(
    files: dict[str, str], folder: Path, method: str, device: str = "cpu",
    network: dict[str, Any] | None = None, clients: Mapping[str, Any] = CLIENTS,
    axes: Mapping[str, Any] = MappingProxyType({}), room: Room = RAM, **training: Any,
) -> tuple[Path, Path]:  # fmt: skip
    """Train a setting of a method, a clean one by default; return its run file and its ledger.

    Args:
        files: the task's, from `make_task`.
        folder: where the two are written.
        method: its name.
        device: where to train.
        network: block of the network that the setting names, if it names one.
        clients: block of the clients, as a job is told it.
        axes: the setting's, beside its method.
        room: where large arrays go.
        training: values that differ from `TRAINING`.
    """
    params = {
        "task": "toy",
        "kind": "images",
        "setting": {"method": method} | dict(axes),
        "seeds": [0, 1],
        "clients": clients,
        "training": TRAINING | training,
        "privacy": {},
        "block": {"head": HEAD, "network": network},
    }
    return train_setting(files, folder / f"{method}.json", params, device, room)
