"""A task of any size, made by the workflow's own scripts: random images, a small random network.

Run as a script it does one step in a process of its own and prints the seconds that it took
without the start of Python:

    python tests/benchmarks/small_task.py make FOLDER SAMPLES [SIDE WIDTH]
    python tests/benchmarks/small_task.py extract FOLDER
    python tests/benchmarks/small_task.py train FOLDER EPOCHS
"""

import sys
import time
from pathlib import Path

import numpy as np
from ratios import SCRIPTS, Process, measured

sys.path[:0] = [str(SCRIPTS), str(SCRIPTS / "stages")]

SIDE = 28
NO_CHOICE = {"portion": None, "classes": None, "limit": None, "seed": 0}
CLIENTS = {"partition": "iid", "samples_per_client": 8, "clients": None, "seed": 0}
FEATURES = {
    "cut": "relu_fc1", "pool": "none", "dtype": "float32", "batch": 256, "size": None,
    "mean": None, "std": None, "store": None, "chunk_mib": 1, "further_cuts": [],
}  # fmt: skip
ARCHITECTURE = {
    "from": "vgg", "image": [SIDE, SIDE, 1], "channels": [[16], [32]], "fc": [256], "classes": 10,
}  # fmt: skip
HEAD = [64]
TRAINING = {
    "batch": 64, "clients_per_round": 8, "learning_rate": 0.01, "momentum": 0.9,
    "weight_decay": 5e-4, "validation": 0.1, "selection": "validation",
}  # fmt: skip
FILES = {
    "clients": "clients.h5", "weights": "source.safetensors", "source": "source.json",
    "features": "features.zarr", "manifest": "features.json", "network": "network.json",
}  # fmt: skip


def step(*arguments: str | int | Path) -> Process:
    """Run one step in a process of its own."""
    return measured([str(Path(__file__)), *map(str, arguments)])


def make(folder: Path, samples: int, side: int = SIDE, width: int = 256) -> None:
    """Write client file, weights and layers; a tenth of the samples is the test set.

    Args:
        folder: of the task.
        samples: images of both splits.
        side: of an image, in pixels.
        width: numbers in an upload.
    """
    import describe_network
    import partition_clients
    from fbftl.data.preprocess import Preprocessing
    from fbftl.models.source.manifest import SourceModel, build, write_source

    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    images = random.integers(0, 256, (samples, side, side), np.uint8)
    labels = random.integers(0, 10, samples, np.uint8)
    for name, array in (("images", images), ("labels", labels)):
        shape = np.array(array.shape, ">u4").tobytes()
        (folder / name).write_bytes(bytes([0, 0, 8, array.ndim]) + shape + array.tobytes())
    data = {"kind": "idx", "train": {"images": "images", "labels": "labels"}, "test_fraction": 0.1}
    files = paths(folder)
    partition_clients.main(
        "fbftl.data.images", files["clients"], data | NO_CHOICE, CLIENTS, str(folder), seed=0
    )
    architecture = ARCHITECTURE | {"image": [side, side, 1], "fc": [width]}
    model = build(architecture).eval()
    preprocessing = Preprocessing(None, (0.5,), (0.25,))
    source = SourceModel(model, architecture, preprocessing, {}, None)
    write_source(files["weights"], files["source"], source)
    describe_network.main(files["clients"], files["source"], files["network"], FEATURES, HEAD)


def extract(folder: Path) -> float:
    """Extract the features on one thread; return the seconds."""
    import extract_features

    files = paths(folder)
    inputs = [files[name] for name in ("clients", "weights", "source")]
    started = time.perf_counter()
    stores = [files["features"]], [files["manifest"]]
    extract_features.main("fbftl.features.images", *inputs, *stores, FEATURES, "code", "cpu", 1)
    return time.perf_counter() - started


def train(folder: Path, epochs: int) -> float:
    """Train one setting, one seed, on one thread; return the seconds."""
    import torch
    from fbftl.methods import by_name
    from fbftl.study.job import from_params
    from fbftl.study.methods import axes_by_method
    from fbftl.tasks.task import Inputs

    params = {
        "task": "small",
        "kind": "images",
        "setting": {"method": "fbftl"},
        "seeds": [0],
        "block": {"head": HEAD},
        "clients": CLIENTS,
        "training": TRAINING | {"epochs": epochs},
        "privacy": {},
    }
    used = {name: paths(folder)[name] for name in ("manifest", "network")}
    inputs = Inputs.at(used, torch.device("cpu"))
    started = time.perf_counter()
    list(by_name.trained([from_params(params, axes_by_method())], inputs))
    return time.perf_counter() - started


def paths(folder: Path) -> dict[str, str]:
    """Return the paths of a task's files by name."""
    return {name: str(folder / file) for name, file in FILES.items()}


def main(verb: str, folder: str, *numbers: str) -> None:
    """Do one step and print its seconds."""
    verbs = {"make": make, "extract": extract, "train": train}
    print("seconds", verbs[verb](Path(folder), *map(int, numbers)))


def seconds(process: Process) -> float:
    """Return the seconds that a step printed."""
    return float(process.output.rpartition("seconds")[2])


if __name__ == "__main__":
    main(*sys.argv[1:])
