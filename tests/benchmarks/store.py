"""The feature store: its time of reading beside zarr's, and its size beside the raw numbers.

    python tests/benchmarks [--data-folder FOLDER] store

FOLDER holds cifar10/train.parquet, from which the features of a trained layer come.
"""

import io
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import torch
import zarr
from PIL import Image
from ratios import SCRIPTS, Row, data_folder, fastest
from torch import nn

sys.path.insert(0, str(SCRIPTS))

from fbftl.features.store.format import ArrayLayout, encode_chunk
from fbftl.features.store.provenance import Provenance, Target
from fbftl.features.store.publish import writer_of
from fbftl.features.store.reader import open_store

BATCH, IMAGES, EPOCHS = 100, 6000, 5
ROWS, WIDTH, REPEATS = 50_000, 4096, 5
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
SIZE = ("<=", 0.45)


def synthetic_store(rows: int, folder: Path, zeros_above: float) -> Path:
    """Write rows of max(normal - threshold, 0) and return the store."""
    store = folder / f"synthetic-{rows}-{zeros_above}.zarr"
    rng = np.random.default_rng(0)
    target = Target(store, Provenance("normal", "relu", {"threshold": zeros_above}, "none"))
    writer = writer_of(target, {"train": rows}, batch=512)
    for first in range(0, rows, 512):
        ids = np.arange(first, min(first + 512, rows))
        values = rng.standard_normal((len(ids), WIDTH), dtype=np.float32) - zeros_above
        columns = {"labels": ids % 10, "client": ids.astype(np.int32), "sample": ids}
        writer.append("train", first, np.maximum(values, 0), columns)
    writer.publish()
    return store


def reading(folder: Path) -> Iterator[Row]:
    """Read a store of ReLU features as jobs do, every chunk compared, and by zarr-python."""
    store = synthetic_store(ROWS, folder, zeros_above=0.7)
    opened = open_store(store.with_suffix(".json"))
    plain = zarr.open_array(store / "train" / "features", mode="r")
    took = fastest({"zarr": lambda: plain[:], "ours": lambda: opened.read("train")}, REPEATS)
    note = f"{took['ours']:.2f} s, {ROWS} x {WIDTH} float32"
    yield Row("read whole / zarr-python", took["ours"] / took["zarr"], ("<=", 1.3), note)


def sizes(folder: Path) -> Iterator[Row]:
    """Store features of which a known share is zero."""
    for threshold in (0.0, 0.3, 0.7):
        store = synthetic_store(WIDTH, folder, zeros_above=threshold)
        features = store / "train" / "features"
        size = sum(path.stat().st_size for path in features.rglob("*") if path.is_file())
        some = open_store(store.with_suffix(".json")).read("train", slice(0, 512)).values
        name = f"stored size / raw, {np.mean(some == 0):.0%} zeros"
        yield Row(name, size / (4 * WIDTH * WIDTH), SIZE)


def trained_size(data: Path) -> Iterator[Row]:
    """Store a ReLU layer of a small CNN after some epochs on CIFAR-10."""
    table = pq.read_table(data / "cifar10" / "train.parquet").slice(0, IMAGES)
    pixels = [np.asarray(Image.open(io.BytesIO(row["bytes"]))) for row in table["img"].to_pylist()]
    mean, std = (torch.tensor(numbers).view(1, 3, 1, 1) for numbers in (MEAN, STD))
    images = (torch.from_numpy(np.stack(pixels)).permute(0, 3, 1, 2).float() / 255 - mean) / std
    labels = torch.from_numpy(table["label"].to_numpy().copy())
    torch.manual_seed(0)
    blocks = [
        layer
        for inputs, outputs in ((3, 32), (32, 64))
        for layer in (nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
    ]
    body = nn.Sequential(*blocks, nn.Flatten(), nn.Linear(WIDTH, 512), nn.ReLU())
    model = nn.Sequential(body, nn.Linear(512, 10))
    optimiser = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    for _ in range(EPOCHS):
        for batch in zip(images.split(BATCH), labels.split(BATCH), strict=True):
            optimiser.zero_grad()
            nn.functional.cross_entropy(model(batch[0]), batch[1]).backward()
            optimiser.step()
    with torch.no_grad():
        values = body(images[:WIDTH]).numpy()
    layout = ArrayLayout(values.shape, values.shape, "float32", ("row", "feature"))
    ratio = len(encode_chunk(values, layout)) / values.nbytes
    note = f"{np.mean(values == 0):.0%} zeros"
    yield Row("stored size / raw, trained ReLU layer", ratio, SIZE, note)


def rows() -> Iterator[Row]:
    """Measure and yield the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        yield from sizes(Path(folder))
        yield from reading(Path(folder))
    yield from trained_size(data_folder())
