"""Mechanisms on sums: statistics, secure sums by a dealer and by a committee, counts, votes.

A call has many records, each of which moves numbers that no other one moves: orthogonal canaries,
which share a call and no noise.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from fbftl.attacks.audits import faults
from fbftl.attacks.audits.faults import Fault, Patch
from fbftl.attacks.audits.mechanism import (
    CLIENTS,
    CLIP,
    DELTA,
    LONG,
    RELEASE,
    RELEASES,
    Flags,
    Floats,
    Mechanism,
    Sample,
    blocks,
    job_of,
    signs,
    split,
    without_noise,
)
from fbftl.attacks.audits.trial import Curves
from fbftl.attacks.audits.uploads import FEW, gaussian_curves
from fbftl.attacks.membership import Scores
from fbftl.exchange import sum_noise
from fbftl.exchange.post import Post
from fbftl.exchange.secure_sum import secure_sum
from fbftl.exchange.sum_noise import noise_on_sums
from fbftl.ground.randomness import stream
from fbftl.ground.ring import WORD_BITS, Ring
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import link_of
from fbftl.methods.ecos import counting, private_knn, sampling
from fbftl.methods.ecos.coverage import Clusters
from fbftl.methods.one_shot import kinds, summaries
from fbftl.methods.one_shot.kinds import StatisticsMessage
from fbftl.privacy import statistics
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.privacy.tradeoffs import (
    GaussianTradeOff,
    concentrated_tradeoff,
    gaussian_tradeoff,
    sampled_tradeoff,
)
from fbftl.study.settings import Setting

CANARIES = 32
"""Records of a message of statistics, each of two classes and two directions of its own."""

NUMBERS = 2048
"""Numbers of a secure sum, each of a record of its own."""

CLUSTERS = 256
"""Clusters of a client's counts, each of a row of its own; of rows that are replaced, twice."""

REACH = np.sqrt(6.0)
"""How far a sample of length one that is replaced moves a message of statistics at most."""

MEMBERS, THRESHOLD = 3, 2
"""Of the committee."""

SAMPLED = 0.5
"""Share of the rows that are counted, where they are sampled."""


def seeds(seed: int, count: int) -> list[int]:
    """Return seeds of so many calls."""
    return [int(number) for number in stream(seed, "audited calls").integers(2**62, size=count)]


def post_of(seed: int) -> Post:
    """Return a post over a link that loses nothing."""
    return Post(Ledger(method="audit"), link_of(Setting(), 64), seed, no_mechanism())


def client_statistics(epsilon: float, included: Flags, seed: int) -> Mapping[str, Scores]:
    """Score a client's statistics: each sample is of one class or of another, orthogonal one."""
    few = len(included) // FEW
    first, std = _statistics(epsilon, included, seed, 0)
    neighbour, _ = _statistics(epsilon, np.zeros(few, dtype=bool), seed, 1)
    second, other_std = _statistics(epsilon / 2, included[:few], seed, 0)
    clean = -(statistics.sensitivity(1.0, "add-remove") ** 2)
    return {
        RELEASE: split(first, included),
        CLIENTS: split(first[:few] - (neighbour - clean), included[:few]),
        RELEASES: split(without_noise(first[:few], second, other_std / std), included[:few]),
    }


def _statistics(epsilon: float, included: Flags, seed: int, client: int) -> tuple[Floats, float]:
    """Return scores of the messages of one client, and the standard deviation of their noise."""
    guarantee = statistics.statistics_guarantee(
        clip_norm=CLIP, epsilon=epsilon, sigma=None, delta=DELTA, central=False
    )
    job = job_of("one_shot", message="statistics", mechanism="gaussian", epsilon=epsilon)
    width = 2 * CANARIES
    padded = np.zeros(-len(included) % CANARIES, dtype=bool)
    of_message = np.concatenate([included, padded]).reshape(-1, CANARIES)
    scores = []
    for flags, of_call in zip(of_message, seeds(seed, len(of_message)), strict=True):
        label = 2 * np.arange(CANARIES) + flags
        values = np.zeros((CANARIES, width), dtype=np.float32)
        values[np.arange(CANARIES), label] = LONG * CLIP
        noised_by = summaries.noise_seed(job, of_call, np.zeros(1, dtype=np.int64))
        kind = StatisticsMessage(width, width, guarantee.noise_std, noised_by)
        message = kind.summary(client, statistics.clipped(values, CLIP), label)
        counts, (sums, squares) = message.counts, message.tables
        ends = np.cumsum(np.arange(width, 0, -1))
        diagonal = squares.rows[0][np.concatenate([[0], ends[:-1]])]
        likelier = counts + np.diagonal(sums.rows) + diagonal
        scores.append(likelier[1::2] - likelier[::2])
    return np.concatenate(scores)[: len(included)], guarantee.noise_std


def dealers_sum(epsilon: float, included: Flags, seed: int) -> Mapping[str, Scores]:
    """Score secure sums whose noise a dealer adds, and one with the record beside one without."""
    guarantee = statistics.statistics_guarantee(
        clip_norm=CLIP, epsilon=epsilon, sigma=None, delta=DELTA, central=True
    )
    job = job_of(
        "one_shot", message="statistics", aggregation="masked", mechanism="gaussian",
        epsilon=epsilon,
    )  # fmt: skip
    first, second = [], []
    parts = blocks(len(included), NUMBERS)
    for part, of_call in zip(parts, seeds(seed, len(parts)), strict=True):
        moved = REACH / 2 * signs(included[part])
        values = np.stack([moved, np.zeros_like(moved), np.zeros_like(moved)])
        owner, partition = np.arange(3), (np.arange(3), np.arange(3))
        noise = noise_on_sums(job, of_call, guarantee.noise_std, owner, partition)
        summing = secure_sum(job, post_of(of_call), Ring())
        for sums, clients in ((first, [0, 1]), (second, [1, 2])):
            summed = summing.of(values, owner, offered=np.array(clients), noise=noise)
            sums.append(summed.total)
    with_record, without = np.concatenate(first), np.concatenate(second)
    return {
        RELEASE: split(with_record, included),
        RELEASES: split(with_record - without, included),
    }


def dealers_curves(epsilon: float) -> Curves:
    """Return what a dealer's noise states: the record is in one of the two sums that are told."""
    return dict.fromkeys((RELEASE, RELEASES), gaussian_tradeoff(epsilon, DELTA))


def committees_sum(epsilon: float, included: Flags, seed: int) -> Mapping[str, Scores]:
    """Score secure sums to whose noise every client adds a share, and with one that tells its."""
    job = job_of(
        "one_shot", message="statistics", aggregation="committee", mechanism="gaussian",
        epsilon=epsilon, committee_members=MEMBERS, committee_threshold=THRESHOLD,
    )  # fmt: skip
    ring = Ring(WORD_BITS, job.setting.fraction_bits)
    std = statistics.shares_std(epsilon, DELTA, NUMBERS, ring.fraction_bits)
    clients = np.arange(CLIENTS_OF_SUM)
    totals, of_others = [], []
    parts = blocks(len(included), NUMBERS)
    for part, of_call in zip(parts, seeds(seed, len(parts)), strict=True):
        moved = REACH / 2 * signs(included[part])
        values = np.zeros((CLIENTS_OF_SUM, len(moved)))
        values[0] = moved
        noise = noise_on_sums(job, of_call, std, clients, (clients, clients))
        summing = secure_sum(job, post_of(of_call), ring)
        total = summing.of(values, clients, noise=noise).total
        share = noise.share(CLIENTS_OF_SUM - 1, clients, len(moved), ring)
        totals.append(total)
        of_others.append(total - CLIENTS_OF_SUM * share / 2.0**ring.fraction_bits)
    return {
        RELEASE: split(np.concatenate(totals), included),
        CLIENTS: split(np.concatenate(of_others), included),
    }


CLIENTS_OF_SUM = 4
"""Clients behind a committee's sum, one of whom tells the server its share of the noise."""


def committees_curves(epsilon: float) -> Curves:
    """Return what shares of noise state, and what they do of a client less."""
    whole = concentrated_tradeoff(epsilon, DELTA)
    fewer = GaussianTradeOff(whole.mu * np.sqrt(CLIENTS_OF_SUM / (CLIENTS_OF_SUM - 1)))
    return {RELEASE: whole, CLIENTS: fewer}


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


def halving_statistics(right: Callable[..., Any]) -> Callable[..., Any]:
    """Return what puts half of its noise on a client's statistics."""

    def noised(self: StatisticsMessage, *args: Any) -> Any:
        return right(replace(self, noise=self.noise / 2), *args)

    return noised


def halving_steps(right: Callable[..., Any]) -> Callable[..., Any]:
    """Return discrete Gaussian noise of half the parameter."""
    return lambda parameter, *rest: right(parameter / 2, *rest)


def counting_twice(right: Callable[..., Any]) -> Callable[..., Any]:
    """Return a client's share of noise as if twice as many clients added one."""

    def share(self: Any, position: int, planned: np.ndarray, count: int, ring: Ring) -> Any:
        return right(self, position, np.repeat(planned, 2), count, ring)

    return share


STATISTICS_ADJACENCY = Fault(
    faults.ADJACENCY,
    (
        Patch(
            statistics,
            "sensitivity",
            lambda right: lambda clip_norm, *_: right(clip_norm, "add-remove"),
        ),
    ),
)
"""Noise for a sample that is left out, where one is replaced: the root of two too little."""

SUMS = (
    Mechanism(
        "gaussian on statistics",
        "a sample replaced",
        gaussian_curves(RELEASE, CLIENTS, RELEASES),
        client_statistics,
        (
            Fault(faults.HALVED, (Patch(StatisticsMessage, "noised", halving_statistics),)),
            faults.unclipped(statistics),
            STATISTICS_ADJACENCY,
            faults.without_keys(kinds, faults.CLIENTS, [0]),
            faults.same_release(summaries),
        ),
        fine=True,
    ),
    Mechanism(
        "gaussian on secure sums",
        "a sample replaced",
        dealers_curves,
        dealers_sum,
        (
            faults.halving(sum_noise, "statistics_noise"),
            STATISTICS_ADJACENCY,
            faults.same_release(sum_noise),
        ),
        fine=True,
    ),
    Mechanism(
        "discrete gaussian of a committee",
        "a sample replaced",
        committees_curves,
        committees_sum,
        (
            Fault(faults.HALVED, (Patch(sum_noise, "discrete_gaussian", halving_steps),)),
            STATISTICS_ADJACENCY,
            Fault(faults.DIVISOR, (Patch(sum_noise.GaussianOnSums, "share", counting_twice),)),
            faults.without_keys(sum_noise, faults.CLIENTS, [0]),
        ),
        fine=True,
    ),
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
