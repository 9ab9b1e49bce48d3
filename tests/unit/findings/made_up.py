"""Runs that nobody trained as rows of tidy tables, and client files of known classes."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fbftl.data.clients import Client, write_clients
from fbftl.study.settings import DEFAULTS

AXES = {axis: default for axis, default in DEFAULTS.items() if axis != "method"}


def of_seeds(
    axes: Mapping[str, Any], lost: Collection[int] = (), **measured: Sequence[float]
) -> list[dict[str, Any]]:
    """Return a tidy row per seed of one setting.

    Args:
        axes: of the setting, its method among them.
        lost: the seeds that diverged.
        measured: by its name, what each seed measured.
    """
    named = [f"{axis}={value}" for axis, value in axes.items() if axis != "method"]
    common = {"task": "t", "setting": "+".join([axes["method"], *named]), **axes}
    return [
        common
        | {"seed": seed, "diverged": seed in lost, "offered": 9, "received": 9, "seen": 9}
        | dict(zip(measured, values, strict=True))
        for seed, values in enumerate(zip(*measured.values(), strict=True))
    ]


def client_file(
    folder: Path, *train: Sequence[int], test: Collection[Sequence[int]] | None = None
) -> str:
    """Write clients with samples of these classes, and return the path of their file.

    The test split has those of the training split if it is not given.
    """
    splits = {
        split: [
            Client(str(number), np.arange(len(classes)), {"label": np.array(classes)})
            for number, classes in enumerate(clients)
        ]
        for split, clients in (("train", train), ("test", test or train))
    }
    write_clients(folder / "clients.h5", splits)
    return str(folder / "clients.h5")
