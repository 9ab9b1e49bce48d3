"""A source and a model small enough to extract in a blink, for the store's tests."""

import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fbftl.features.extract import extract
from fbftl.features.store.provenance import Provenance, Target
from fbftl.ground.artefacts import exclusive

BATCH = 16
COUNTS = {"train": 203, "test": 61}
WIDTH = 24
CHUNK_BYTES = 8000


@dataclass
class ToyBatch:
    arrays: dict
    client: np.ndarray
    sample: np.ndarray


@dataclass
class ToySource:
    """Rows that are functions of their number; `delay_s` before each batch."""

    delay_s: float = 0.0

    def count(self, split):
        return COUNTS[split]

    def batches(self, split, size, start=0):
        for first in range(start, COUNTS[split], size):
            time.sleep(self.delay_s)
            rows = np.arange(first, min(first + size, COUNTS[split]))
            arrays = {
                "x": rows.astype(np.float32) + (1000 if split == "test" else 0),
                "label": rows % 10,
                "tokens": [np.arange(row % 4, dtype=np.int32) for row in rows],
            }
            yield ToyBatch(arrays, (rows // 8).astype(np.int32), rows.astype(np.int64))


def dense(arrays):
    """Features with ReLU zeros, (n, WIDTH)."""
    return np.maximum(np.sin(arrays["x"][:, None] * np.arange(1, WIDTH + 1)), 0).astype(np.float32)


def ragged(arrays):
    """Rows of 0 to 6 vectors, and one of 100 that spans several chunks."""
    lengths = [100 if x == 17 else int(x) % 7 for x in arrays["x"]]
    return [np.full((n, WIDTH), x, np.float32) for n, x in zip(lengths, arrays["x"], strict=True)]


def toy_forward(arrays):
    return {"dense": dense(arrays), "ragged": ragged(arrays)}


def toy_targets(folder, **fields):
    return [
        Target(Path(folder) / f"{cut}.zarr", toy_provenance(cut, **fields), chunk_bytes=CHUNK_BYTES)
        for cut in ("dense", "ragged")
    ]


def toy_provenance(cut, **fields):
    defaults = {
        "source": "5" * 64,
        "preprocessing": {"size": 8, "mean": [0.5, 0.25]},
        "data": "d" * 64,
        "libraries": {"numpy": np.__version__},
    }
    return Provenance(cut=cut, **(defaults | fields))


def all_rows(split):
    """The arrays of a split, made in one go."""
    return next(iter(ToySource().batches(split, COUNTS[split]))).arrays


def files(folder):
    """The bytes of every file below a folder, by relative path."""
    folder = Path(folder)
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def extract_slowly(folder):
    """Extract the toy stores in a process that others may interrupt."""
    # A parent that runs in the background may have had SIGINT ignored, which children inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with exclusive(lock_of(folder), wait_s=float("inf")):
        extract(ToySource(delay_s=0.01), toy_forward, toy_targets(folder), batch=BATCH)


def lock_of(folder):
    """The folder of the lock under which `extract_slowly` works, as artefacts are made."""
    return Path(f"{folder}.lock")
