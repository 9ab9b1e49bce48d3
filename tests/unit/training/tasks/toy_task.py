"""A toy task made by the workflow's own scripts: digits, a tiny source model, its features."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import describe_network
import extract_features
import partition_clients
from fbftl.data.preprocess import Preprocessing
from fbftl.ground.room import RAM, Room
from fbftl.models.source.manifest import SourceModel, build, write_source
from fbftl.study.job import Job, from_params
from fbftl.study.methods import axes_by_method
from unit.training.tasks.training import train_setting

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
LOCAL = {"rounds": 2, "local_batch": 3, "clients_per_round": 5, "validation": 0.0}
"""Training values of methods whose clients train in local epochs."""

MLP = {"kind": "mlp", "fc": [5], "norm": "none", "dropout": 0.0, "cut": "relu_fc1"}
PRIVACY = {"delta": 1e-5, "update_clip": 0.01, "activation_clip": 1.0}


def paths_in(folder: Path) -> dict[str, str]:
    """Return the paths of a task's files in a folder."""
    names = {"manifest": "features.json", "network": "network.json", "clients": "clients.h5"}
    names |= {"weights": "source.safetensors", "source": "source.json", "features": "features.zarr"}
    return {name: str(folder / file) for name, file in names.items()}


def make_task(folder: Path, clients: Mapping[str, Any] = CLIENTS) -> dict[str, str]:
    """Write a task's files and return their paths as `train_setting` takes them.

    By default there are 16 clients, the last with 4 samples instead of 8, and 3 of them in a round.
    """
    files = paths_in(folder)
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
    setting = {"method": method} | dict(axes)
    of_job = params(setting, network, (0, 1), clients, {}, **training)
    return train_setting(files, folder / f"{method}.json", of_job, device, room)


def params(
    setting: Mapping[str, Any], network: Mapping[str, Any] | None = None,
    seeds: Iterable[int] = (1,), clients: Mapping[str, Any] = CLIENTS,
    privacy: Mapping[str, Any] = PRIVACY, **training: Any,
) -> dict[str, Any]:  # fmt: skip
    """Return what the note of a batch says of a setting, with some training values changed."""
    return {
        "task": "toy",
        "kind": "images",
        "setting": dict(setting),
        "seeds": list(seeds),
        "clients": clients,
        "training": TRAINING | training,
        "privacy": privacy,
        "block": {"head": HEAD, "network": network},
    }


def job(setting: Mapping[str, Any], *of_params: Any, **values: Any) -> Job:
    """Return the job of a setting; arguments are those of `params`."""
    return from_params(params(setting, *of_params, **values), axes_by_method())
