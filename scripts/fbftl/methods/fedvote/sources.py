"""A task's further source models, on which clients vote, and how alike two networks represent.

CKA(X, Y) = HSIC(K, L) / sqrt(HSIC(K, K) HSIC(L, L)) with K = X Xᵀ and L = Y Yᵀ (Kornblith et al.
2019). The biased HSIC grows with the width of independent features where samples are few; the
unbiased one (Song et al. 2012, Eq. 5) has mean 0 for them. Both are sums over pairs of samples, so
above `SKETCHED` samples a random part of them is a sketch of the whole.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fbftl.ground.errors import UserError, required
from fbftl.ground.randomness import stream
from fbftl.models.chain import chain_of
from fbftl.models.networks import random_split
from fbftl.models.source.manifest import read_weights
from fbftl.study.job import Job, Training
from fbftl.training.local import train_clients
from fbftl.training.local_updates import LocalPlan, LocalUpdate, SplitModel, set_flat
from fbftl.training.samples import LabelledInputs
from fbftl.training.tasks.task import ClientSamples


@dataclass(frozen=True)
class SourceModels:
    """Source models that everybody may read.

    parameters: of each model by their names.
    """

    parameters: Sequence[Mapping[str, Tensor]]

    def __len__(self) -> int:
        return len(self.parameters)

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


def source_models(client_data: ClientSamples, job: Job, related: bool = True) -> SourceModels:
    """Return a task's further source models, with those that fit the task or without."""
    inputs, kinds = client_data.target.inputs, job.block["source_models"]
    wanted = [name for name, kind in kinds.items() if related or kind != "target"]
    models: dict[str, Model] = defaultdict(dict)
    for key, value in read_weights(required(inputs.source_models)).items():
        name, _, layer = key.partition("/")
        models[name][layer] = value.to(inputs.device)
    return SourceModels([models[name] for name in wanted])


SKETCHED = 512
"""Samples above which a sketch stands for all of them (paper survey, Sec. 4.1.2: s-CKA)."""

LEAST = 4
"""Samples that the unbiased HSIC needs."""


def cka(x: np.ndarray, y: np.ndarray, unbiased: bool = True) -> float:
    """Return the similarity of features (n, p) and (n, q) of the same samples; 1 is equal.

    Features that are all constant are similar to nothing: 0.

    Args:
        x: features under one network.
        y: features under the other.
        unbiased: which HSIC.

    Raises:
        UserError: if there are too few samples for the unbiased one.
    """
    if unbiased and len(x) < LEAST:
        raise UserError(
            f"a client compares models by {len(x)} samples, and the unbiased similarity needs "
            f"{LEAST}; give clients more samples, or cka_estimator: biased"
        )
    hsic = _unbiased if unbiased else _biased
    gram_x, gram_y = (
        features.astype(np.float64) @ features.astype(np.float64).T for features in (x, y)
    )
    sizes = hsic(gram_x, gram_x), hsic(gram_y, gram_y)
    return hsic(gram_x, gram_y) / math.sqrt(math.prod(sizes)) if min(sizes) > 0 else 0.0


def sketched(rows: np.ndarray, seed: int, client: int) -> np.ndarray:
    """Return the rows that a client compares models by: all, or a random part of many."""
    if len(rows) <= SKETCHED:
        return rows
    return np.sort(stream(seed, "sketch", client).choice(rows, SKETCHED, replace=False))


def _biased(gram_x: np.ndarray, gram_y: np.ndarray) -> float:
    """Return tr(K H L H) / (n - 1)², H the centring matrix, of two Gram matrices (n, n)."""
    centred = gram_x - gram_x.mean(0) - gram_x.mean(1)[:, None] + gram_x.mean()
    return float((centred * gram_y).sum() / (len(gram_x) - 1) ** 2)


def _unbiased(gram_x: np.ndarray, gram_y: np.ndarray) -> float:
    """Return Song et al.'s estimate from two Gram matrices (n, n), n at least 4."""
    n = len(gram_x)
    gram_x, gram_y = (gram - np.diag(np.diag(gram)) for gram in (gram_x, gram_y))
    pairs = (gram_x * gram_y).sum()
    apart = gram_x.sum() * gram_y.sum() / ((n - 1) * (n - 2))
    triples = 2 * (gram_x.sum(0) @ gram_y.sum(0)) / (n - 2)
    return float((pairs + apart - triples) / (n * (n - 3)))
