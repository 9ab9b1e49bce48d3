"""Print the SHA-256 of what toy trainings write: a line for each method.

    PYTHONPATH=scripts:scripts/stages:tests python tests/tools/toy_trainings.py NETWORK.json

`tests/workflow/test_emulated.py` compares the lines with those of emulated processors. The first
call writes what describes the network, counts and no floats; later ones read it, since what makes
it takes an emulated processor as long to import as all else that it does.
"""

import shutil
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import describe_network
from unit.training.tasks.toy_task import make_task, train

CNN = {"kind": "cnn", "channels": [[4], [8]], "kernel": 3, "fc": [8], "cut": "pool2"}

TRAININGS = {
    "fbftl": {"axes": {"bits": 4}},
    "ftl_c": {},
    "fedavg": {"axes": {"network": "cnn"}, "network": CNN, "rounds": 2, "local_batch": 8},
}
"""Heads in steps behind a codec and by gradients, and a network in local epochs."""


describe = describe_network.main


def main(described: Path) -> None:
    """Make the toy task, then train each method on it."""

    def once(clients: str, source: str, network: str, *of_task: Any) -> None:
        if not described.exists():
            describe(clients, source, str(described), *of_task)
        shutil.copy(described, network)

    describe_network.main = once
    with tempfile.TemporaryDirectory() as folder:
        files = make_task(Path(folder))
        for method, options in TRAININGS.items():
            run, _ = train(files, Path(folder), method, **options)
            print(method, sha256(run.read_bytes()).hexdigest(), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
