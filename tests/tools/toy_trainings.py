"""Print the SHA-256 of what toy trainings write: a line for each method.

    PYTHONPATH=scripts:scripts/stages:tests python tests/tools/toy_trainings.py

`tests/workflow/test_emulated.py` compares the lines with those of emulated processors.
"""

import tempfile
from hashlib import sha256
from pathlib import Path

from unit.tasks.toy_task import make_task, train

CNN = {"kind": "cnn", "channels": [[4], [8]], "kernel": 3, "fc": [8], "cut": "pool2"}

TRAININGS = {
    "fbftl": {"axes": {"bits": 4}},
    "ftl_c": {},
    "fedavg": {"axes": {"network": "cnn"}, "network": CNN, "rounds": 2, "local_batch": 8},
}
"""Heads in steps behind a codec and by gradients, and a network in local epochs."""


def main() -> None:
    """Make the toy task, then train each method on it."""
    with tempfile.TemporaryDirectory() as folder:
        files = make_task(Path(folder))
        for method, options in TRAININGS.items():
            run, _ = train(files, Path(folder), method, **options)
            print(method, sha256(run.read_bytes()).hexdigest(), flush=True)


if __name__ == "__main__":
    main()
