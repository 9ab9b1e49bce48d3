"""Time the client file at the paper's size: 6,250 clients of 8 CIFAR-10-shaped images.

Run as ``python tests/benchmarks/clients.py``; the last column relates each step to one plain
copy of the same bytes to disk and back, taken in the same run.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from fbftl.data.clients import Client, ClientFile, write_clients
from fbftl.data.partition import members, partition

SAMPLES = 50_000
SPEC = {"partition": "dirichlet_equal", "samples_per_client": 8, "alpha": 0.1}


def main() -> None:
    """Print one row per step: seconds, and multiples of the plain copy."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (SAMPLES, 32, 32, 3), dtype=np.uint8)
    labels = rng.integers(0, 10, SAMPLES)
    rows: list[tuple[str, float]] = []

    def timed(step: str, run: Callable[[], object]) -> None:
        start = perf_counter()
        run()
        rows.append((step, perf_counter() - start))

    with tempfile.TemporaryDirectory() as folder:
        plain, path = Path(folder) / "plain.npy", Path(folder) / "clients.h5"

        def copy() -> None:
            np.save(plain, pixels)
            np.load(plain)

        def write() -> None:
            owners = members(partition(labels, SPEC, 0))
            write_clients(
                path,
                {
                    "train": (
                        Client(
                            f"{u:04d}",
                            client_rows,
                            {"pixels": pixels[client_rows], "label": labels[client_rows]},
                        )
                        for u, client_rows in enumerate(owners)
                    )
                },
            )

        timed("plain copy", copy)
        timed("partition", lambda: partition(labels, SPEC, 0))
        timed("partition and write", write)
        with ClientFile(path) as file:
            timed("check all groups", lambda: file.count("train"))
            timed("read in batches of 256", lambda: list(file.batches("train", 256)))
            timed("read the labels alone", lambda: file.column("train", "label"))

    for step, seconds in rows:
        print(f"{step:24}{seconds:8.2f} s{seconds / rows[0][1]:8.1f}")


if __name__ == "__main__":
    main()
