"""What the party without labels learns of the other's (Secure FTL).

In the open it is sent y times Phi for every common sample, with Phi Phi^T beside it. Protected it
gets its gradient alone. That is linear in its own features, which it knows, and in numbers that are
one for each sample times one for each dimension: alternating least squares takes them apart.
Either way the labels come out up to one sign for all, which one label that it knows settles.
"""

import numpy as np

from fbftl.attacks.attained import Attained
from fbftl.methods.secure_ftl.run import Parties, initial_parties
from fbftl.study.job import Job
from fbftl.training.tasks.task import ClientSamples

PASSES = 50
"""Of alternating least squares."""


def attacked(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Return the share of the common samples whose label the other party learns in round 1."""
    protected = job.setting.protection != "plain"
    read = labels_of_gradient if protected else labels_of_factors
    recovered, blind = [], []
    for seed in job.seeds:
        parties, common = initial_parties(job, client_data, seed)
        true, guessed = parties.labels[:common], read(parties)
        recovered.append(float((guessed * guessed[0] == true * true[0]).mean()))
        blind.append(max(float((true == side).mean()) for side in (-1, 1)))
    who = "client 1, by its gradient" if protected else "client 1, by what it is sent"
    by_chance = float(np.mean(blind))
    return [Attained("label recovery", who, "share of labels right", recovered, by_chance)]


def labels_of_factors(parties: Parties) -> np.ndarray:
    """Return the common samples' labels by what the other sends in the open, up to one sign."""
    numbers, count = parties.numbers_of_a(), parties.common
    _, vectors = np.linalg.eigh(numbers[:, count:])
    return np.sign(-vectors[:, -1] @ numbers[:, :count])


def labels_of_gradient(parties: Parties) -> np.ndarray:
    """Return the common samples' labels by the gradient alone, which any protection leaves."""
    gradient = np.einsum("kmn,kn->km", parties.matrix_of_b(), parties.numbers_of_a())
    slopes = parties.b.slopes().transpose(0, 2, 1) / parties.common
    by_dimension, _, _ = np.linalg.svd(gradient, full_matrices=False)
    phi = by_dimension[:, 0]
    for _ in range(PASSES):
        stacked = (phi[:, None, None] * slopes).reshape(-1, parties.common)
        of_sample, *_ = np.linalg.lstsq(stacked, gradient.ravel(), rcond=None)
        combined = slopes @ of_sample
        phi = (combined * gradient).sum(1) / (combined**2).sum(1)
    # Per sample -y/2 + u Phi/4, of which the party knows u, and Phi up to a factor.
    return np.sign(-of_sample)
