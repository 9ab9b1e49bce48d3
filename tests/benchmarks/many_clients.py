"""Time to write a client file of 1,000, 10,000 and 100,000 clients with 8 samples each.

Run: python tests/benchmarks/many_clients.py [clients]
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from ratios import SCRIPTS, Row, print_table

sys.path.insert(0, str(SCRIPTS))

from fbftl.data.clients import Client, write_clients

CLIENTS = 100_000
SAMPLES, SIDE = 8, 8


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


def rows(clients: int) -> Iterator[Row]:
    """Measure and yield the seconds of every number of clients."""
    with tempfile.TemporaryDirectory() as folder:
        for count in (clients // 100, clients // 10, clients):
            path = Path(folder, f"{count}.h5")
            started = time.perf_counter()
            write_clients(path, {"train": Drawn(count)})
            seconds = time.perf_counter() - started
            note = f"{path.stat().st_size / 1e6:.1f} MB"
            yield Row(f"seconds to write {count:,} clients", seconds, note=note)


if __name__ == "__main__":
    print_table(rows(int(sys.argv[1]) if len(sys.argv) > 1 else CLIENTS))
