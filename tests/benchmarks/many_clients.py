"""100,000 clients with 8 samples each: both layouts of a client file, and a task from end to end.

Run: python tests/benchmarks/many_clients.py [clients]

Clients, features and a run are made by the workflow's own scripts, each in a process of its own on
one thread; memory is the process's peak.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import small_task
from ratios import SCRIPTS, Row, print_table

sys.path.insert(0, str(SCRIPTS))

from fbftl.data import clients as client_files
from fbftl.data.clients import Client, ClientFile, write_clients

CLIENTS = 100_000
SAMPLES = 8
SIDE, WIDTH, EPOCHS = 8, 32, 1
GIGABYTES = 4


class Drawn:
    """So many clients, each drawn when it is asked for."""

    def __init__(self, clients: int) -> None:
        self.clients = clients
        self.pixels = np.random.default_rng(0).integers(0, 256, (SAMPLES, SIDE, SIDE, 1), np.uint8)

    def __len__(self) -> int:
        return self.clients

    def __iter__(self) -> Iterator[Client]:
        arrays = {"pixels": self.pixels, "label": np.zeros(SAMPLES, np.int64)}
        for number in range(self.clients):
            yield Client(f"{number:06d}", np.arange(SAMPLES) + SAMPLES * number, arrays)


def layouts(folder: Path, clients: int) -> None:
    """Print what each layout takes to write, to open and to read."""

    def timed(step: Callable[[], object]) -> float:
        started = time.perf_counter()
        step()
        return time.perf_counter() - started

    def walk(file: ClientFile) -> None:
        for _ in file.batches("train", 1024):
            pass

    for name, most in (("groups", clients), ("table", 0)):
        client_files.MANY, path = most, folder / f"{name}.h5"
        wrote = timed(lambda path=path: write_clients(path, {"train": Drawn(clients)}))
        with ClientFile(path) as file:
            opened = timed(lambda file=file: file.count("train"))
            read = timed(lambda file=file: walk(file))
        print(f"  {clients:7,} clients as {name:6}: write {wrote:6.2f} s, open {opened:6.2f} s, "
              f"read {read:6.2f} s, {path.stat().st_size / 1e6:6.1f} MB", flush=True)  # fmt: skip


def rows(clients: int) -> Iterator[Row]:
    """Measure and yield the memory of every step."""
    with tempfile.TemporaryDirectory() as folder:
        for count in (clients // 100, clients // 10, clients):
            layouts(Path(folder), count)
        task = Path(folder) / "task"
        # A tenth of the images is the test set.
        samples = -(-clients * SAMPLES * 10 // 9)
        for verb, numbers in (
            ("make", (samples, SIDE, WIDTH)),
            ("extract", ()),
            ("train", (EPOCHS,)),
        ):
            started = time.perf_counter()
            done = small_task.step(verb, task, *numbers)
            note = f"{time.perf_counter() - started:.0f} s"
            gigabytes = done.peak_mib * 2**20 / 1e9
            yield Row(f"GB to {verb}, {clients:,} clients", gigabytes, ("<=", GIGABYTES), note)
        ledger = (task / "run.parquet").stat().st_size
        yield Row("MB of the ledger", ledger / 1e6)


if __name__ == "__main__":
    print_table(rows(int(sys.argv[1]) if len(sys.argv) > 1 else CLIENTS))
