"""What surrounds the network of an extraction, stage by stage: how fast a GPU would have to wait.

Run: python tests/benchmarks/starving.py [images]

Images of 32 x 32 pixels from a client file, features of 1,280 numbers to a store. Each stage has a
thread of its own, so that a network starves where the slowest of them is slower than it. Times are
processor seconds of one thread; the pass at the end is `extract` with a network that takes no time.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from ratios import SCRIPTS, Row, print_table

sys.path.insert(0, str(SCRIPTS))

from fbftl.data.clients import Client, ClientFile, write_clients
from fbftl.data.preprocess import Preprocessing
from fbftl.features.extract import extract
from fbftl.features.store.provenance import Provenance
from fbftl.features.store.target import Target
from fbftl.models.forward import as_tensor, stage_fn

IMAGES, SIDE, WIDTH, BATCH, SIZE = 8_192, 32, 1_280, 256, 160
SAMPLES = 8
REACH = 10_000
"""Images a second that a GPU's network shall take, EfficientNet-Lite0 at 160 pixels."""


def write_images(path: Path, images: int) -> None:
    """Write a client file of random images; a tenth of the clients is the test split."""
    random = np.random.default_rng(0)
    pixels = random.integers(0, 256, (SAMPLES, SIDE, SIDE, 3), np.uint8)
    arrays = {"pixels": pixels, "label": np.arange(SAMPLES) % 10}
    clients = [
        Client(f"{number:05d}", np.arange(SAMPLES) + SAMPLES * number, arrays)
        for number in range(images // SAMPLES)
    ]
    tenth = len(clients) // 10
    write_clients(path, {"train": clients[tenth:], "test": clients[:tenth]})


def seconds(work: Callable[[], object]) -> float:
    """Return the processor seconds of this process that a call takes."""
    started = time.process_time()
    work()
    return time.process_time() - started


def rows(images: int) -> Iterator[Row]:
    """Measure and yield the rows, in images a second."""
    torch.set_num_threads(1)
    preprocessing = Preprocessing(SIZE, (0.5,) * 3, (0.25,) * 3)
    features = np.maximum(
        np.random.default_rng(0).standard_normal((BATCH, WIDTH), dtype=np.float32), 0
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "clients.h5")
        write_images(path, images)
        with ClientFile(path) as file:
            batches: list[np.ndarray] = []
            count = file.count("train")

            def read() -> None:
                batches.extend(batch.arrays["pixels"] for batch in file.batches("train", BATCH))

            yield Row("reading and decoding: images/s", count / seconds(read), (">=", REACH))
            shared = all(np.shares_memory(pixels, as_tensor(pixels)) for pixels in batches)
            yield Row("  batches that torch takes without a copy", float(shared), (">=", 1))
            stage, few = stage_fn("cpu", preprocessing), batches[:4]
            took = seconds(lambda: [stage({"pixels": pixels}) for pixels in few])
            name = f"preprocessing to {SIZE} pixels on a CPU; on a GPU it is done there: images/s"
            yield Row(name, sum(map(len, few)) / took)

            provenance = Provenance("0" * 64, "cut", {}, "0" * 64)
            target = Target(Path(folder, "features.zarr"), provenance)

            def forward(arrays: dict) -> dict[str, np.ndarray]:
                return {"cut": features[: len(arrays["label"])]}

            took = seconds(lambda: extract(file, forward, [target], batch=BATCH))
            everything = count + file.count("test")
            yield Row("a whole pass on one core, its network for nothing: images/s",
                      everything / took, (">=", REACH))  # fmt: skip


if __name__ == "__main__":
    print_table(rows(int(sys.argv[1]) if len(sys.argv) > 1 else IMAGES))
