"""Indices of similarity beside CKA, and networks that learn two labels each (paper survey, Fig. 6).

Two networks learn every pair of labels, each from initial values and samples of its own. An index
is the better, the more often the network that it finds most similar to another one is that which
has learnt the same labels.
"""

from collections.abc import Callable, Mapping

import numpy as np
import torch

from fbftl.exchange.personal import PersonalModels
from fbftl.ground.randomness import stream
from fbftl.methods.fedvote.sources import cka
from fbftl.study.job import Job
from fbftl.training.local_network import LocalTrainingData
from fbftl.training.local_updates import SplitModel
from fbftl.training.tasks.task import ClientSamples, Repetition

PASSES = 10
"""Over a network's samples; the survey prints none."""

TWINS = 2
"""Networks of each pair of labels."""

RANK = 1e-8
"""Share of the largest singular value below which a direction of features counts as empty."""


def canonical(x: np.ndarray, y: np.ndarray) -> float:
    """Return the mean canonical correlation of features (n, p) and (n, q) of the same samples.

    Over the directions of whichever has fewer; 0 if one of them is constant.
    """
    first, second = _directions(x), _directions(y)
    if not min(first.shape[1], second.shape[1]):
        return 0.0
    return float(np.linalg.svd(first.T @ second, compute_uv=False).mean())


def regressed(x: np.ndarray, y: np.ndarray) -> float:
    """Return the share of the variance of features x (n, p) that a linear map of y (n, q) explains.

    0 if x is constant.
    """
    centred = x - x.mean(0)
    total = float(np.square(centred).sum())
    return float(np.square(_directions(y).T @ centred).sum()) / total if total else 0.0


def _directions(values: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis (n, r) of what centred features (n, p) span."""
    left, sizes, _ = np.linalg.svd(values - values.mean(0), full_matrices=False)
    return left[:, sizes > RANK * max(sizes.max(), np.finfo(float).tiny)]


Index = Callable[[np.ndarray, np.ndarray], float]

INDICES: Mapping[str, Index] = {
    "cka": cka,
    "biased_cka": lambda x, y: cka(x, y, unbiased=False),
    "cca": canonical,
    "regression": regressed,
}
"""By name; the first is s-CKA, whose sketch is all of fewer than 513 samples."""


def shares_matched(job: Job, client_data: ClientSamples, seed: int) -> dict[str, float]:
    """Return by index for which share of networks the most similar other one has its labels.

    Args:
        job: gives the network, its optimiser and its rate.
        client_data: all clients' samples, dealt anew to the networks, and the test samples, on
            which they are compared.
        seed: of initial values, of the deal and of mini-batches.
    """
    labels = client_data.samples.labels.cpu().numpy()
    pairs = [np.array([label, label + 1]) for label in range(0, client_data.classes - 1, 2)]
    draws = stream(seed, "similarity")
    rows = [
        np.sort(part)
        for pair in pairs
        for part in np.array_split(draws.permutation(np.flatnonzero(np.isin(labels, pair))), TWINS)
    ]
    starts = draws.integers(2**31, size=len(rows)).tolist()
    networks = [SplitModel(*client_data.target.random(job, start)) for start in starts]
    repetition = Repetition(job, seed, rows, np.arange(0))
    plan = LocalTrainingData.of(client_data, repetition).plan
    models = PersonalModels.initial(networks, plan, seed)
    models.train(client_data.samples, rows, 1, epochs=PASSES)
    test = client_data.test.at(np.arange(len(client_data.test.labels)))
    with torch.no_grad():
        features = [
            models.network(number).front(test.inputs).flatten(1).cpu().numpy().astype(np.float64)
            for number in range(len(rows))
        ]
    return {name: matched(features, index) for name, index in INDICES.items()}


def matched(features: list[np.ndarray], index: Index) -> float:
    """Return the share of networks whose most similar other one is a twin of theirs.

    Args:
        features: of the same samples under each network, twins side by side.
        index: of similarity.
    """
    count = len(features)
    similar = np.array([[index(x, y) for y in features] for x in features])
    similar[np.diag_indices(count)] = -np.inf
    return float((similar.argmax(1) // TWINS == np.arange(count) // TWINS).mean())
