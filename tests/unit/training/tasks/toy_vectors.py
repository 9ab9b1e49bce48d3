"""A toy task of vectors of people in groups, made by the workflow's own scripts."""

from pathlib import Path
from typing import Any

import describe_network
import extract_features
import partition_clients
import prepare_source
from unit.training.tasks.toy_task import FEATURES, paths_in

DATA = {"kind": "groups", "samples": 400, "test_per_group": 200, "rates": [0.5, 0.5]}
DATA |= {"class_shift": 1.0, "group_shift": 0.5, "limit": None, "seed": 0}
CLIENTS = {"partition": "iid", "samples_per_client": 20, "clients": None, "seed": 0}


def make_vectors(
    folder: Path, data_folder: str | None = None, spec: dict[str, Any] = DATA, **data: Any
) -> dict[str, str]:
    """Write a task's files and return their paths as `train_setting` takes them.

    Args:
        folder: where they go.
        data_folder: where files of the data lie.
        spec: block of the data.
        data: values in it that differ.
    """
    paths = paths_in(folder)
    partition_clients.main(
        "fbftl.data.images", paths["clients"], spec | data, CLIENTS, data_folder, seed=0
    )
    prepare_source.main(
        "fbftl.training.pretrain", paths["weights"], paths["source"], {"kind": "vectors"}, {}, None,
        "cpu", 1,
    )  # fmt: skip
    cut = FEATURES | {"cut": "columns"}
    extract_features.main(
        "fbftl.features.images", paths["clients"], paths["weights"], paths["source"],
        [paths["features"]], [paths["manifest"]], cut, "code", "cpu", 1,
    )  # fmt: skip
    describe_network.main(paths["clients"], paths["source"], paths["network"], cut, [8])
    return paths
