"""Mechanisms of ECOS: counts of a client's rows by cluster, and votes of them on labels."""

from collections.abc import Callable, Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from fbftl.attacks.audits import faults
from fbftl.attacks.audits.faults import Fault, Patch
from fbftl.attacks.audits.mechanism import (
    CLIENTS,
    DELTA,
    RELEASE,
    RELEASES,
    Flags,
    Floats,
    Mechanism,
    Sample,
    blocks,
    job_of,
    split,
    without_noise,
)
from fbftl.attacks.audits.sums import post_of, seeds
from fbftl.attacks.audits.trial import Curves
from fbftl.attacks.audits.uploads import FEW, gaussian_curves
from fbftl.attacks.membership import Scores
from fbftl.methods.ecos import counting, private_knn, sampling
from fbftl.methods.ecos.coverage import Clusters
from fbftl.privacy.tradeoffs import (
    sampled_tradeoff,
)

CLUSTERS = 256
"""Clusters of a client's counts, each of a row of its own; of rows that are replaced, twice."""

SAMPLED = 0.5
"""Share of the rows that are counted, where they are sampled."""


def counts(rate: float, replaced: bool) -> Sample:
    """Return what scores counts of sampled rows, each of which is replaced or left out."""

    def sample(epsilon: float, included: Flags, seed: int) -> Mapping[str, Scores]:
        few = len(included) // FEW
        first = _counted(epsilon, included, seed, 0, rate, replaced)
        neighbour = _counted(epsilon, np.zeros(few, dtype=bool), seed, 1, rate, replaced)
        scores = {RELEASE: split(first, included)}
        if replaced:
            second = _counted(epsilon / 2, included[:few], seed, 0, rate, replaced)
            ratio = counts_sigma(epsilon / 2, rate, replaced) / counts_sigma(
                epsilon, rate, replaced
            )
            exact = without_noise(first[:few], second, ratio)
            scores[RELEASES] = split(exact, included[:few])
        known = -1.0 if replaced else 0.0
        scores[CLIENTS] = split(first[:few] - (neighbour - known), included[:few])
        return scores

    return sample


def counts_sigma(epsilon: float, rate: float, replaced: bool) -> float:
    """Return the noise of counts at epsilon of a row left out or, from the accountant, replaced."""
    if replaced:
        return counting.rounds_sigma(epsilon, DELTA, rate=rate, rounds=1, adjacency="replace-one")
    return counting.counts_sigma(epsilon, rate, DELTA)


def _counted(
    epsilon: float, included: Flags, seed: int, owner: int, rate: float, replaced: bool
) -> Floats:
    """Return scores of one client's counts: of a row's cluster, less that of its other one."""
    sigma = counts_sigma(epsilon, rate, replaced)
    job = job_of(
        "ecos", mechanism="counts", sigma=sigma, count_sampling=rate, centroids=2 * CLUSTERS
    )
    centroids = 10.0 * np.arange(2 * CLUSTERS, dtype=np.float32)[:, None]
    clusters = Clusters(centroids, np.arange(2 * CLUSTERS))
    scores = []
    parts = blocks(len(included), CLUSTERS)
    for part, of_call in zip(parts, seeds(seed, len(parts)), strict=True):
        flags = included[part]
        rows = centroids[2 * np.arange(len(flags)) + (flags if replaced else 1)]
        # One more row is in the other clusters, so that a client without a record counts too.
        of_client = np.concatenate([rows, centroids[:1]])
        of_both = np.concatenate([of_client, of_client])
        payload = SimpleNamespace(values=of_both, sample=np.arange(len(of_both)))
        pool = SimpleNamespace(client_data=SimpleNamespace(payload=payload))
        present = np.append(np.ones_like(flags) if replaced else flags, not replaced)
        offered = owner * len(of_client) + np.flatnonzero(present)
        client = np.repeat([0, 1], len(of_client))
        participants = sampling.Participants(of_call, client, offered)
        summed, _ = sampling.counted(job, pool, participants, clusters, post_of(of_call))
        likelier = summed[1::2] - summed[::2] if replaced else summed[1::2]
        scores.append(likelier[: len(flags)])
    return np.concatenate(scores)


@cache
def sampled_counts_curves(epsilon: float) -> Curves:
    """Return what the accountant states of counts of sampled rows."""
    sigma = counting.counts_sigma(epsilon, SAMPLED, DELTA)
    return dict.fromkeys((RELEASE, CLIENTS), sampled_tradeoff(sigma, SAMPLED, "add-remove"))


def votes(epsilon: float, included: Flags, seed: int) -> Mapping[str, Scores]:
    """Score labels by the vote of one nearest row: of class 0 with the record, of 1 without it.

    The confidence is under so much noise that the votes cost nearly all of epsilon.
    """
    multiplier = query_sigma(epsilon)
    vote_noise = np.sqrt(2 + QUIET**-2) * multiplier
    block = {
        "vote_noise": vote_noise, "confidence_noise": QUIET * vote_noise, "query_sampling": 1.0,
        "neighbours": 1,
    }  # fmt: skip
    scores = []
    parts = blocks(len(included), QUERIES)
    for part, of_call in zip(parts, seeds(seed, len(parts)), strict=True):
        flags = included[part]
        queries = 10.0 * np.arange(len(flags), dtype=np.float32)[:, None]
        values = np.concatenate([queries[flags] + 1, queries + 2])
        of_rows = np.concatenate([np.zeros(flags.sum(), np.int64), np.ones(len(flags), np.int64)])
        answers = private_knn.answered(queries, values, of_rows, 2, block, of_call)
        scores.append(1.0 - answers.labels)
    return {RELEASE: split(np.concatenate(scores), included)}


QUERIES = 50
"""Label queries of a call, each near rows of its own."""

QUIET = 20.0
"""Noise of a confidence, over that of votes."""


def query_sigma(epsilon: float) -> float:
    """Return the noise multiplier of a query that costs epsilon, a row left out."""
    return counting.rounds_sigma(epsilon, DELTA, rate=1.0, rounds=1, adjacency="add-remove")


def halving_votes(right: Callable[..., Any]) -> Callable[..., Any]:
    """Return what answers queries under half of both noises."""

    def answered(*arguments: Any) -> Any:
        *rows, block, seed = arguments
        halved = {key: block[key] / 2 for key in ("vote_noise", "confidence_noise")}
        return right(*rows, block | halved, seed)

    return answered


COUNTS = (
    Mechanism(
        "counts, sampled",
        "a row left out",
        sampled_counts_curves,
        counts(SAMPLED, replaced=False),
        (
            faults.halving(sampling, "noise_of"),
            faults.without_keys(sampling, faults.CLIENTS, [0]),
        ),
    ),
    Mechanism(
        "counts",
        "a row replaced",
        gaussian_curves(RELEASE, CLIENTS, RELEASES),
        counts(1.0, replaced=True),
        (
            faults.halving(sampling, "noise_of"),
            faults.OTHER_ADJACENCY,
            faults.without_keys(sampling, faults.CLIENTS, [0]),
            faults.same_release(sampling),
        ),
        fine=True,
    ),
    Mechanism(
        "votes on labels",
        "a row left out",
        gaussian_curves(RELEASE),
        votes,
        (Fault(faults.HALVED, (Patch(private_knn, "answered", halving_votes),)),),
    ),
)
