"""Open data and further source models of a task with images (see `data.open`)."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fbftl.data.clients import ClientFile
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.models.chain import chain_of
from fbftl.models.networks import random_halves
from fbftl.models.source.weights import read_weights
from fbftl.study.job import Training
from fbftl.tasks.task import SourceModels
from fbftl.training.local import train_clients
from fbftl.training.network import LabelledInputs
from fbftl.training.visits import Halves, LocalPlan, Visit, set_flat

Model = dict[str, Tensor]
"""A source model's parameters by their names."""


def open_part(
    path: Path, part: str, preprocessing: Preprocessing, device: torch.device
) -> LabelledInputs:
    """Return one part of a task's open data, preprocessed, on the training device.

    Raises:
        UserError: if the task has no such part.
    """
    with ClientFile(path) as file:
        if part not in file.splits:
            key = {"source": "letters", "target": "target"}[part]
            raise UserError(f"{path} holds no open data of the {part}; give the task's open.{key}")
        batch = file.rows(part, 0, file.count(part))
    pixels = torch.from_numpy(np.ascontiguousarray(batch.arrays["pixels"]))
    labels = torch.from_numpy(np.asarray(batch.arrays["label"], dtype=np.int64))
    return LabelledInputs(preprocess(pixels, preprocessing).to(device), labels.to(device))


def trained_sources(
    spec: Mapping[str, Any], parts: Mapping[str, LabelledInputs]
) -> dict[str, Model]:
    """Train a task's further source models, each on its own part of the open data.

    Args:
        spec: config block `sources`: `models`, what each learns from; `network`, the block of the
            one that all have; `epochs`, `batch`, `learning_rate` and `seed`.
        parts: open data, those that the models learn from.
    """
    samples, rows = _lessons(spec, parts)
    _, depth, height, width = samples.inputs.shape
    classes = int(samples.labels.max()) + 1
    network = spec["network"]
    chain = chain_of(network, (height, width, depth), classes)
    plan = LocalPlan(spec["epochs"], spec["batch"], _training(spec["learning_rate"]))
    models = {}
    for number, name in enumerate(spec["models"]):
        # Initial values of its own, as models of different origin have them.
        seed = int(stream(spec["seed"], "source model", number).integers(2**31))
        halves = Halves(*random_halves(chain, network["cut"], seed))
        if len(rows[name]):
            visit = Visit(seed, 1, number, rows[name])
            found = train_clients(halves, samples, [visit], plan)
            set_flat(halves.parameters, found.weights[0])
        models[name] = named_parameters(halves)
    return models


def _lessons(
    spec: Mapping[str, Any], parts: Mapping[str, LabelledInputs]
) -> tuple[LabelledInputs, dict[str, np.ndarray]]:
    """Return the samples of all models together, and the rows that each learns from."""
    order, kinds = stream(spec["seed"], "source models"), spec["models"]
    inputs, labels, rows, begun = [], [], {}, 0
    of_letters = [name for name, kind in kinds.items() if kind == "letters"]
    for name, kind in kinds.items():
        if kind == "random":
            rows[name] = np.arange(0)
            continue
        part = parts["source" if kind == "letters" else "target"]
        own = order.permutation(len(part.labels))
        if kind == "letters":  # every model its own letters
            own = np.arange(of_letters.index(name), len(part.labels), len(of_letters))
        told = part.labels[own]
        if kind == "shuffled":
            told = told[order.permutation(len(own))]
        inputs.append(part.inputs[own])
        labels.append(told)
        rows[name] = np.arange(begun, begun + len(own))
        begun += len(own)
    return LabelledInputs(torch.cat(inputs), torch.cat(labels)), rows


def _training(rate: float) -> Training:
    """Return plain SGD."""
    return Training(
        epochs=1, batch=1, clients_per_round=1, learning_rate=rate, momentum=0.0,
        weight_decay=0.0, validation=0.0, selection="last",
    )  # fmt: skip


def named_parameters(halves: Halves) -> Model:
    """Return a copy of a network's parameters by the names of its layers."""
    return {name: own.detach().clone() for name, own in halves.named_parameters.items()}


def joined(models: Mapping[str, Model]) -> Model:
    """Return the parameters of several models under one roof, as a file holds them."""
    return {
        f"{name}/{own}": value for name, model in models.items() for own, value in model.items()
    }


def read_sources(path: Path, kinds: Mapping[str, str], device: torch.device) -> SourceModels:
    """Return source models of a file, those that have a kind here, in the order of the kinds."""
    models: dict[str, Model] = defaultdict(dict)
    for key, value in read_weights(path).items():
        name, _, own = key.partition("/")
        models[name][own] = value.to(device)
    return SourceModels(list(kinds), list(kinds.values()), [models[name] for name in kinds])
