"""A task's further source models, on which clients vote: their training, their file."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fbftl.ground.errors import required
from fbftl.ground.randomness import stream
from fbftl.models.chain import chain_of
from fbftl.models.networks import random_split
from fbftl.models.source.weights import read_weights
from fbftl.study.job import Job, Training
from fbftl.training.local import train_clients
from fbftl.training.local_updates import LocalPlan, LocalUpdate, SplitModel, set_flat
from fbftl.training.samples import LabelledInputs
from fbftl.training.tasks.task import ClientSamples


@dataclass(frozen=True)
class SourceModels:
    """Source models that everybody may read.

    names: of the models.
    kinds: what each learnt from: target, letters, shuffled labels of the target, or random.
    parameters: of each model by their names.
    """

    names: Sequence[str]
    kinds: Sequence[str]
    parameters: Sequence[Mapping[str, Tensor]]

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, number: int) -> Mapping[str, Tensor]:
        return self.parameters[number]

    @property
    def numbers(self) -> int:
        """Numbers of all models together."""
        return sum(values.numel() for model in self.parameters for values in model.values())


Model = dict[str, Tensor]
"""A source model's parameters by their names."""


def trained_sources(
    spec: Mapping[str, Any], parts: Mapping[str, LabelledInputs]
) -> dict[str, Model]:
    """Train a task's further source models, each on its own part of the open data.

    Args:
        spec: config block `source_models`: `models`, what each learns from; `network`, the block of
            the one that all have; `epochs`, `batch`, `learning_rate` and `seed`.
        parts: open data, those that the models learn from.
    """
    samples, rows = _training_data(spec, parts)
    _, depth, height, width = samples.inputs.shape
    classes = int(samples.labels.max()) + 1
    network = spec["network"]
    chain = chain_of(network, (height, width, depth), classes)
    plan = LocalPlan(spec["epochs"], spec["batch"], _training(spec["learning_rate"]))
    models = {}
    for number, name in enumerate(spec["models"]):
        # Initial values of its own, as models of different origin have them.
        seed = int(stream(spec["seed"], "source model", number).integers(2**31))
        split_model = SplitModel(*random_split(chain, network["cut"], seed))
        if len(rows[name]):
            local_update = LocalUpdate(seed, 1, number, rows[name])
            trained = train_clients(split_model, samples, [local_update], plan)
            set_flat(split_model.parameters, trained.weights[0])
        models[name] = named_parameters(split_model)
    return models


def _training_data(
    spec: Mapping[str, Any], parts: Mapping[str, LabelledInputs]
) -> tuple[LabelledInputs, dict[str, np.ndarray]]:
    """Return the samples of all models together, and the rows that each learns from."""
    order, kinds = stream(spec["seed"], "source models"), spec["models"]
    inputs, labels, rows, first = [], [], {}, 0
    of_letters = [name for name, kind in kinds.items() if kind == "letters"]
    for name, kind in kinds.items():
        if kind == "random":
            rows[name] = np.arange(0)
            continue
        part = parts["source" if kind == "letters" else "target"]
        chosen = order.permutation(len(part.labels))
        if kind == "letters":  # every model its own letters
            chosen = np.arange(of_letters.index(name), len(part.labels), len(of_letters))
        targets = part.labels[chosen]
        if kind == "shuffled":
            targets = targets[order.permutation(len(chosen))]
        inputs.append(part.inputs[chosen])
        labels.append(targets)
        rows[name] = np.arange(first, first + len(chosen))
        first += len(chosen)
    return LabelledInputs(torch.cat(inputs), torch.cat(labels)), rows


def _training(rate: float) -> Training:
    """Return plain SGD."""
    return Training(
        epochs=1, batch=1, clients_per_round=1, learning_rate=rate, momentum=0.0,
        weight_decay=0.0, validation=0.0, selection="last",
    )  # fmt: skip


def named_parameters(split_model: SplitModel) -> Model:
    """Return a copy of a network's parameters by the names of its layers."""
    return {name: values.detach().clone() for name, values in split_model.named_parameters.items()}


def joined(models: Mapping[str, Model]) -> Model:
    """Return the parameters of several models under one roof, as a file holds them."""
    return {
        f"{name}/{layer}": value for name, model in models.items() for layer, value in model.items()
    }


def read_sources(path: Path, kinds: Mapping[str, str], device: torch.device) -> SourceModels:
    """Return source models of a file, those that have a kind here, in the order of the kinds."""
    models: dict[str, Model] = defaultdict(dict)
    for key, value in read_weights(path).items():
        name, _, layer = key.partition("/")
        models[name][layer] = value.to(device)
    return SourceModels(list(kinds), list(kinds.values()), [models[name] for name in kinds])


def source_models(client_data: ClientSamples, job: Job, related: bool = True) -> SourceModels:
    """Return a task's further source models, with those that fit the task or without."""
    inputs, kinds = client_data.target.inputs, job.block["source_models"]
    wanted = {name: kind for name, kind in kinds.items() if related or kind != "target"}
    return read_sources(required(inputs.source_models), wanted, inputs.device)
