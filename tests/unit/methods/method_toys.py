"""Blobs of features at toy clients, for tests of whole methods."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from fbftl.data.clients import RowBatch
from fbftl.features.extract import extract
from fbftl.features.store.provenance import Provenance, Target
from fbftl.ground.room import RAM, Room
from fbftl.methods.by_name import train
from fbftl.models.cost.layers import Layer, Network, write_network
from fbftl.study.job import Job, from_params
from fbftl.study.methods import axes_by_method
from fbftl.training.tasks.task import Inputs, Outcome

COUNTS = {"train": 240, "test": 60}
CLASSES, WIDTH, HIDDEN, PER_CLIENT = 3, 12, 8, 8
HEAD_PARAMETERS = (WIDTH + 1) * HIDDEN + (HIDDEN + 1) * CLASSES


class Blobs:
    """Three blobs of features, eight samples to a client."""

    common = 0.0
    """Deviation of a noise that all numbers of a sample share."""

    def count(self, split: str) -> int:
        return COUNTS[split]

    def batches(self, split: str, size: int, start: int = 0):
        for first in range(start, COUNTS[split], size):
            rows = np.arange(first, min(first + size, COUNTS[split]))
            shift = 10_000 if split == "test" else 0
            label = rows % CLASSES
            draws = [np.random.default_rng(shift + row) for row in rows]
            noise = [draw.normal(size=WIDTH) + self.common * draw.normal() for draw in draws]
            centre = np.eye(CLASSES, WIDTH)[label] * 3
            arrays = {"x": (centre + np.array(noise)).astype(np.float32), "label": label}
            yield RowBatch(arrays, (rows // PER_CLIENT).astype(np.int32), rows.astype(np.int64))


class Renumbered(Blobs):
    """The same blobs at clients that are numbered the other way round."""

    def batches(self, split: str, size: int, start: int = 0):
        for batch in super().batches(split, size, start):
            yield replace(batch, client=COUNTS["train"] // PER_CLIENT - batch.client)


class StretchedBlobs(Blobs):
    """Blobs that lie apart only across one direction, along which they are long."""

    common = 6.0


def toy_inputs(folder: Path, room: Room = RAM, blobs: Blobs | None = None) -> Inputs:
    """Extract the blobs into a folder and return what FbFTL and FTL_c read."""
    provenance = Provenance(source="0" * 64, cut="x", preprocessing={}, data="1" * 64)
    target = Target(folder / "features.zarr", provenance)
    extract(blobs or Blobs(), lambda arrays: {"x": arrays["x"]}, [target], batch=64)
    layers = (
        Layer("front", "dense", parameters=5, inputs=1, outputs=WIDTH),
        Layer("head", "dense", parameters=HEAD_PARAMETERS, inputs=WIDTH, outputs=CLASSES),
    )
    write_network(folder / "network.json", Network("toy", layers, cut=1))
    return Inputs(
        manifest=folder / "features.json",
        network=folder / "network.json",
        device=torch.device("cpu"),
        room=room,
    )


def with_public(folder: Path, blobs: Blobs) -> Inputs:
    """Return what methods read that are given public features too, those of other blobs."""
    provenance = Provenance(source="0" * 64, cut="x", preprocessing={}, data="2" * 64)
    target = Target(folder / "public.zarr", provenance)
    extract(blobs, lambda arrays: {"x": arrays["x"]}, [target], batch=64)
    return replace(toy_inputs(folder), public_manifest=folder / "public.json")


ONE_SHOT = {
    "ridge": [0.01, 1e-6, 1e-3, 1.0],
    "shrinkage": [0.05, 1e-3, 0.2],
    "fedcof": [0.05, 1e-3, 2.0],
    "logistic": [1e-3, 1e-2],
    "components": [1, 2],
    "least_variance": 1e-3,
    "least_samples": 1,
    "made": 2**20,
}


TRAINED = ("validation", "selection", "annealing")
"""Values of a task's training that tests change, beside those of the block `one_shot`."""


def one_shot(inputs: Inputs, setting: dict, **values) -> Outcome:
    """Run a message and a head on the blobs, some values of the task changed."""
    training = {name: values.pop(name) for name in TRAINED if name in values}
    job_ = job({"method": "one_shot"} | setting, {"one_shot": ONE_SHOT | values}, **training)
    (outcome,) = train([job_], inputs)
    return outcome


def job(setting: dict, block: dict | None = None, **training) -> Job:
    """Return a job on the blobs with some training values changed."""
    return from_params(job_params(setting, block, **training), axes_by_method())


def job_params(setting: dict, block: dict | None = None, **training) -> dict:
    """Return what the note of a batch says of such a job."""
    return {
        "task": "toy",
        "kind": "images",
        "setting": {"method": "fbftl"} | setting,
        "seeds": [0, 1],
        "block": {"head": [HIDDEN]} | (block or {}),
        "clients": {"partition": "iid", "samples_per_client": 8, "clients": None, "seed": 0},
        "training": {
            "epochs": 4,
            "batch": 32,
            "clients_per_round": 4,
            "learning_rate": 0.1,
            "momentum": 0.9,
            "weight_decay": 0.0005,
            "validation": 0.1,
            "selection": "validation",
        }
        | training,
        "privacy": {"delta": 1e-6, "feature_clip": {"norm": 3.0}, "update_clip": 1.0},
    }


def run(inputs: Inputs, setting: dict, **training) -> Outcome:
    """Run a setting on the blobs."""
    job_ = job(setting, **training)
    (outcome,) = train([job_], inputs)
    return outcome
