"""Benchmark of the feature store: ratios measured side by side in one run, printed as a table.

    python tests/benchmarks/store.py [--data FOLDER] [--rows 50000]

FOLDER holds cifar10/train.parquet (default: FBFTL_DATA, else ../shared/data). Nothing is asserted.
"""

import argparse
import io
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import zarr

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from fbftl.features.extract import extract  # noqa: E402
from fbftl.features.store.opening import open_store  # noqa: E402
from fbftl.features.store.provenance import Provenance  # noqa: E402
from fbftl.features.store.publish import writer_of  # noqa: E402
from fbftl.features.store.target import Target  # noqa: E402

BATCH = 100
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
REPEATS = 5


@dataclass
class ImageBatch:
    """One batch of decoded images."""

    arrays: dict
    client: np.ndarray
    sample: np.ndarray


class Cifar10:
    """JPEG images of a parquet file, decoded batch by batch."""

    def __init__(self, path: Path, count: int) -> None:
        import pyarrow.parquet as pq

        table = pq.read_table(path).slice(0, count)
        self.jpegs = [item["bytes"] for item in table["img"].to_pylist()]
        self.labels = table["label"].to_numpy()

    def count(self, split: str) -> int:
        """Return the number of images."""
        return len(self.jpegs)

    def batches(self, split: str, size: int, start: int = 0) -> Iterator[ImageBatch]:
        """Yield decoded uint8 images (n, 32, 32, 3)."""
        from PIL import Image

        for first in range(start, len(self.jpegs), size):
            rows = np.arange(first, min(first + size, len(self.jpegs)))
            images = np.stack([np.asarray(Image.open(io.BytesIO(self.jpegs[i]))) for i in rows])
            arrays = {"image": images, "label": self.labels[rows]}
            yield ImageBatch(arrays, (rows // 8).astype(np.int32), rows)


def normalised(images: np.ndarray) -> "torch.Tensor":  # noqa: F821
    """Return uint8 (n, h, w, 3) as normalised float32 (n, 3, h, w)."""
    import torch

    values = torch.from_numpy(images).permute(0, 3, 1, 2).float().div_(255)
    mean, std = (torch.tensor(numbers).view(1, 3, 1, 1) for numbers in (MEAN, STD))
    return values.sub_(mean).div_(std).contiguous()


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def side_by_side(*works: Callable[[], object], repeats: int = REPEATS) -> list[float]:
    """Return the seconds of each call's fastest run; the calls take turns, load only ever adds."""
    times = [[seconds(work) for work in works] for _ in range(repeats)]
    return [min(column) for column in zip(*times, strict=True)]


def show(what: str, measured: float, bound: float, detail: str) -> None:
    """Print one row: measured value, bound, detail."""
    print(f"{what:<52}{measured:>8.3f}{bound:>8.2f}  {detail}", flush=True)


def bench_reading(rows: int, folder: Path) -> None:
    """Reading a store of `rows` × 4,096 ReLU features against zarr-python."""
    store, raw = synthetic_store(rows, folder, zeros_above=0.7)
    opened = open_store(store.with_suffix(".json"))  # as jobs do: every chunk is compared
    plain = zarr.open_array(store / "train" / "features", mode="r")
    works = [
        lambda: plain[:],
        lambda: opened.read("train"),
    ]
    for work in works:
        work()
    plain_s, whole_s = side_by_side(*works)
    shape = f"{rows} x 4096 float32, {raw / 1e6:.0f} MB"
    show("read whole / zarr-python", whole_s / plain_s, 1.3, f"{whole_s:.2f} s, {shape}")


def bench_size(folder: Path) -> None:
    """Stored size of features whose share of ReLU zeros is known."""
    for threshold in (0.0, 0.3, 0.7):
        store, raw = synthetic_store(4096, folder, zeros_above=threshold)
        features = store / "train" / "features"
        size = sum(path.stat().st_size for path in features.rglob("*") if path.is_file())
        zeros = np.mean(
            open_store(store.with_suffix(".json")).read("train", slice(0, 512)).values == 0
        )
        show(f"stored size / raw, {zeros:.0%} zeros", size / raw, 0.45, f"{size / 1e6:.0f} MB")


def bench_trained_size(data: Path) -> None:
    """Stored size of a ReLU layer of a small CNN after five epochs on 6,000 CIFAR-10 images."""
    import torch
    from fbftl.features.store.format import ArrayLayout, encode_chunk
    from torch import nn

    torch.manual_seed(0)
    source = Cifar10(data / "cifar10" / "train.parquet", 6000)
    batches = [
        (normalised(batch.arrays["image"]), torch.tensor(batch.arrays["label"]))
        for batch in source.batches("train", BATCH)
    ]
    blocks = [
        layer
        for inputs, outputs in ((3, 32), (32, 64))
        for layer in (nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
    ]
    body = nn.Sequential(*blocks, nn.Flatten(), nn.Linear(4096, 512), nn.ReLU())
    model = nn.Sequential(body, nn.Linear(512, 10))
    optimiser = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    for _ in range(5):
        for images, labels in batches:
            optimiser.zero_grad()
            nn.functional.cross_entropy(model(images), labels).backward()
            optimiser.step()
    with torch.no_grad():
        values = torch.cat([body(images) for images, _ in batches]).numpy()[:4096]
    layout = ArrayLayout(values.shape, values.shape, "float32", ("row", "feature"))
    ratio = len(encode_chunk(values, layout)) / values.nbytes
    show("stored size / raw, trained ReLU layer", ratio, 0.45, f"{np.mean(values == 0):.0%} zeros")


def synthetic_store(rows: int, folder: Path, zeros_above: float) -> tuple[Path, int]:
    """Write rows × 4,096 of max(normal - threshold, 0); return the store and its raw bytes."""
    store = folder / f"synthetic-{rows}-{zeros_above}.zarr"
    rng = np.random.default_rng(0)
    target = Target(store, Provenance("normal", "relu", {"threshold": zeros_above}, "none"))
    writer = writer_of(target, {"train": rows}, batch=512)
    for first in range(0, rows, 512):
        ids = np.arange(first, min(first + 512, rows))
        values = rng.standard_normal((len(ids), 4096), dtype=np.float32) - zeros_above
        columns = {"labels": ids % 10, "client": ids.astype(np.int32), "sample": ids}
        writer.append("train", first, np.maximum(values, 0), columns)
    writer.publish()
    return store, rows * 4096 * 4


def bench_memory(folder: Path) -> None:
    """Peak memory of an extraction beyond what the process had before, for n, 2n, 4n rows."""
    import subprocess

    for rows in (5000, 10000, 20000):
        command = [sys.executable, __file__, "--memory-of", str(rows), "--folder", str(folder)]
        peak = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        show(f"peak memory of extracting {rows} x 4096, GiB", peak / 2**30, 1.5, "")


def memory_of(rows: int, folder: Path) -> None:
    """Print the bytes by which an extraction of 3 × 64 × 64 inputs raises the peak memory."""

    @dataclass
    class Noise:
        rows: int

        def count(self, split: str) -> int:
            return self.rows

        def batches(self, split: str, size: int, start: int = 0) -> Iterator[ImageBatch]:
            for first in range(start, self.rows, size):
                ids = np.arange(first, min(first + size, self.rows))
                image = np.zeros((len(ids), 3 * 64 * 64), np.float32) + ids[:, None]
                yield ImageBatch({"image": image, "label": ids}, ids.astype(np.int32), ids)

    before = peak_memory()
    target = Target(folder / f"memory{rows}.zarr", Provenance("none", "c", {}, str(rows)))
    extract(
        Noise(rows), lambda a: {"c": a["image"][:, :4096]}, [target], batch=500, splits=["train"]
    )
    print(peak_memory() - before)


def peak_memory() -> int:
    """Return the most bytes this process has held resident (Linux)."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def main() -> None:
    """Run every benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("FBFTL_DATA", ROOT.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--rows", type=int, default=50000)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--memory-of", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory_of:
        return memory_of(arguments.memory_of, arguments.folder)
    print(f"{'what':<52}{'is':>8}{'at most':>8}")
    with tempfile.TemporaryDirectory() as folder:
        bench_size(Path(folder))
        bench_reading(arguments.rows, Path(folder))
        bench_memory(Path(folder))
        if (arguments.data / "cifar10" / "train.parquet").exists():
            bench_trained_size(arguments.data)
        else:
            print(f"no CIFAR-10 at {arguments.data}: a trained layer is not measured")


if __name__ == "__main__":
    main()
