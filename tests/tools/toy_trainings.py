"""Print the SHA-256 of what toy trainings write: a line for each method.

    PYTHONPATH=scripts:scripts/stages:tests python tests/tools/toy_trainings.py FOLDER

`tests/workflow/test_emulated.py` compares the lines with those of emulated processors. The first
call keeps the clients' samples and what describes the network, in which no float is computed;
later ones read them, since what makes them takes an emulated processor longer to import than all
else that it does.
"""

import shutil
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import describe_network
import partition_clients
from unit.training.tasks.toy_task import make_task, train

CNN = {"kind": "cnn", "channels": [[4], [8]], "kernel": 3, "fc": [8], "cut": "pool2"}

TRAININGS = {
    "fbftl": {"axes": {"bits": 4}},
    "ftl_c": {},
    "fedavg": {"axes": {"network": "cnn"}, "network": CNN, "rounds": 2, "local_batch": 8},
}
"""Heads in steps behind a codec and by gradients, and a network in local epochs."""


def once(stage: ModuleType, kept: Path, argument: int) -> None:
    """Let a stage be made by the first call alone, and be read by later ones.

    Args:
        stage: its script, which is patched.
        kept: the file that it writes.
        argument: place of the file's path among the script's arguments.
    """
    make = stage.main

    def made_or_read(*arguments: Any, **options: Any) -> None:
        if not kept.exists():
            make(*arguments, **options)
            shutil.copy(arguments[argument], kept)
        shutil.copy(kept, arguments[argument])

    stage.main = made_or_read


def main(kept: Path) -> None:
    """Make the toy task, then train each method on it."""
    once(partition_clients, kept / "clients.h5", 1)
    once(describe_network, kept / "network.json", 2)
    with tempfile.TemporaryDirectory() as folder:
        files = make_task(Path(folder))
        for method, options in TRAININGS.items():
            run, _ = train(files, Path(folder), method, **options)
            print(method, sha256(run.read_bytes()).hexdigest(), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
