"""Features cached once against features recomputed every epoch, for 1, 4 and 12 settings.

Run: python tests/benchmarks [--data-folder FOLDER] cache

The task: 5,000 training and 1,000 test images of CIFAR-10 at 32 pixels, the convolutions of
torchvision's VGG-16 with random weights, a head 512-64-10, 20 epochs of 79 steps, one seed, and
settings that differ in their packet loss rate.

  recompute  the published procedure in this project's words: for every setting, in every epoch,
             every image goes through the frozen convolutions again, for training and for testing.
             One epoch is timed and multiplied by epochs and settings; it uses all cores.
  workflow   `snakemake runs` from a prepared task (client file, weights) to the run files:
             extraction and training, with the starts of Snakemake and of every job.
  limit      what cannot be saved: one bare pass over all images with all cores, and the bare loops
             of training on the finished features, one after the other on one thread.

"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from project import Project
from ratios import SCRIPTS, Row, data_folder
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(SCRIPTS))

from fbftl.data.clients import ClientFile
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.models.cut import front
from fbftl.models.heads import head_module
from fbftl.models.source.manifest import load_source

IMAGES = {"train": 5000, "test": 1000}
EPOCHS, BATCH, LEARNING_RATE, MOMENTUM, DECAY = 20, 64, 0.05, 0.9, 5e-4
WIDTHS = (512, 64, 10)
LOSS_RATES = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
COUNTED = (1, 4, 12)
"""Settings."""
MEASURED_BY = COUNTED[-1]
"""What the numbers to reach are about."""
MADE = ("store/features", "store/runs", ".made/extract", ".made/train")


def study(settings: int) -> dict:
    """Return the study with so many settings."""
    return {
        "data_folder": str(data_folder()),
        "seeds": [0],
        "study": {"tasks": ["cifar"], "experiments": ["sweep"]},
        "tasks": {
            "cifar": {
                "data": {
                    "kind": "parquet",
                    "train": "cifar10/train.parquet",
                    "test": "cifar10/test.parquet",
                    "limit": IMAGES,
                },
                "source": {
                    "kind": "load",
                    "from": "torchvision",
                    "name": "vgg16",
                    "weights": "random",
                },
                "features": {"cut": "features", "pool": "flatten", "batch": 100},
                "head": list(WIDTHS[1:-1]),
                "training": {
                    "epochs": EPOCHS,
                    "batch": BATCH,
                    "learning_rate": LEARNING_RATE,
                    "momentum": MOMENTUM,
                    "weight_decay": DECAY,
                    "validation": 0.0,
                    "selection": "last",
                },
            }
        },
        "experiments": {"sweep": {"grids": [{"plr": LOSS_RATES[:settings]}]}},
    }


class Task:
    """The prepared task, in this process: decoded images and the frozen convolutions."""

    def __init__(self, store: Path) -> None:
        (source,), (clients,) = store.glob("sources/*/source.json"), store.glob("clients/*/*.h5")
        manifest = json.loads(source.read_text(encoding="utf-8"))
        self.preprocessing = Preprocessing.of(manifest["preprocessing"])
        model = load_source(source.with_suffix(".safetensors"), manifest)
        with ClientFile(clients) as samples:
            parts = {name: samples.rows(name, 0, count).arrays for name, count in IMAGES.items()}
        self.pixels = {name: np.asarray(part["pixels"]) for name, part in parts.items()}
        self.labels = {name: torch.from_numpy(part["label"]).long() for name, part in parts.items()}
        extractor = front(model, "features", self.images("test", slice(0, 2)))
        frozen = nn.Sequential(extractor, nn.Flatten()).requires_grad_(False)
        self.convolutions = frozen.to(memory_format=torch.channels_last)

    def images(self, part: str, rows: np.ndarray | slice) -> torch.Tensor:
        """Return preprocessed images (n, 3, 32, 32)."""
        return preprocess(self.pixels[part][rows], self.preprocessing)


def batches(count: int, order: np.random.Generator | None = None) -> Iterator[np.ndarray]:
    """Yield rows in batches, shuffled if there is a generator."""
    rows = np.arange(count) if order is None else order.permutation(count)
    yield from (rows[start : start + BATCH] for start in range(0, count, BATCH))


def new_optimizer(head: nn.Module) -> torch.optim.Optimizer:
    """Return the optimizer of both sides' heads."""
    return torch.optim.SGD(head.parameters(), LEARNING_RATE, MOMENTUM, weight_decay=DECAY)


def recompute(task: Task) -> tuple[float, float]:
    """Train one setting for an epoch by the published procedure; return seconds and accuracy."""
    head = head_module(WIDTHS, seed=0)
    network = nn.Sequential(task.convolutions, head)
    optimizer, order = new_optimizer(head), np.random.default_rng(0)
    started = time.perf_counter()
    network.train()
    for rows in batches(IMAGES["train"], order):
        logits = network(task.images("train", rows))
        loss = functional.cross_entropy(logits, task.labels["train"][rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    network.eval()
    with torch.no_grad():
        hits = [
            (network(task.images("test", rows)).argmax(1) == task.labels["test"][rows]).sum()
            for rows in batches(IMAGES["test"])
        ]
    return time.perf_counter() - started, sum(int(hit) for hit in hits) / IMAGES["test"]


@torch.inference_mode()
def bare_pass(task: Task) -> tuple[float, torch.Tensor]:
    """Return the seconds of one pass over images that lie in memory, and training features."""
    parts = {part: task.images(part, slice(None)).split(100) for part in IMAGES}
    started = time.perf_counter()
    features = {part: [task.convolutions(x) for x in images] for part, images in parts.items()}
    return time.perf_counter() - started, torch.cat(features["train"])


def bare_training(features: torch.Tensor, labels: torch.Tensor) -> float:
    """Return the seconds of one setting's training in a bare loop over prepared batches."""
    prepared = [(features[rows].clone(), labels[rows]) for rows in batches(len(features))]
    head = head_module(WIDTHS, seed=0)
    optimizer = new_optimizer(head)
    started = time.perf_counter()
    for _ in range(EPOCHS):
        for values, wanted in prepared:
            loss = functional.cross_entropy(head(values), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return time.perf_counter() - started


def rows() -> Iterator[Row]:
    """Measure both sides and yield their ratios."""
    cores = len(os.sched_getaffinity(0))
    torch.set_num_threads(cores)
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        prepared = project.snakemake(study(MEASURED_BY), "--until", "networks")
        store = project.folder / "results" / "store"
        task = Task(store)
        epoch, accuracy = recompute(task)
        one_pass, features = bare_pass(task)
        torch.set_num_threads(1)
        training = bare_training(features.clone(), task.labels["train"])
        took = {}
        for way in COUNTED:
            project.remove(*MADE)
            took[way] = project.snakemake(study(way), "runs")
        run = next(store.glob("runs/*.json"))
        curve = json.loads(run.read_text())["repetitions"][0]["series"]["test_accuracy"]
    print(f"{cores} cores; {sum(IMAGES.values())} images, {EPOCHS} epochs")
    print(f"  preparing clients, weights and layers   {prepared:9.1f} s, on neither side")
    print(f"  recompute, one setting                  {epoch:9.1f} s/epoch")
    print(f"  one bare pass, all cores                {one_pass:9.1f} s")
    print(f"  bare training of a setting, one thread  {training:9.2f} s")
    print(f"  accuracy after epoch 1: recompute {accuracy:.3f}, "
          f"workflow {curve[0]:.3f} ({curve[-1]:.3f} at the end)")  # fmt: skip
    for count, seconds in took.items():
        recomputed, limit = count * EPOCHS * epoch, one_pass + count * training
        note = f"{count} x {EPOCHS} x {epoch:.1f} s over {seconds:.1f} s"
        of = f"{count} setting{'s' * (count > 1)}"
        bounded = count == MEASURED_BY
        yield Row(
            f"cache: times faster, {of}", recomputed / seconds,
            (">=", 50) if bounded else None, note,
        )  # fmt: skip
        yield Row(
            f"limit: workflow over bare work, {of}", seconds / limit,
            ("<=", 1.3) if bounded else None,
            f"{seconds:.1f} s over {one_pass:.1f} s + {count} x {training:.2f} s",
        )  # fmt: skip
