"""Mechanisms on sums: statistics, secure sums by a dealer and by a committee.

A call has many records, each of which moves numbers that no other one moves: orthogonal canaries,
which share a call and no noise.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
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
from fbftl.messages.channel import PacketLoss
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import Link
from fbftl.methods.one_shot import summaries, summary_messages
from fbftl.methods.one_shot.summary_messages import StatisticsMessage
from fbftl.privacy import statistics
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.privacy.tradeoffs import (
    GaussianTradeOff,
    concentrated_tradeoff,
    gaussian_tradeoff,
)

CANARIES = 32
"""Records of a message of statistics, each of two classes and two directions of its own."""

NUMBERS = 2048
"""Numbers of a secure sum, each of a record of its own."""

REACH = np.sqrt(6.0)
"""How far a sample of length one that is replaced moves a message of statistics at most."""

MEMBERS, THRESHOLD = 3, 2
"""Of the committee."""


def seeds(seed: int, count: int) -> list[int]:
    """Return seeds of so many calls."""
    return [int(number) for number in stream(seed, "audited calls").integers(2**62, size=count)]


def post_of(seed: int) -> Post:
    """Return a post over a link that loses nothing."""
    return Post(Ledger(method="audit"), Link(PacketLoss(0.0), 0, 64), seed, no_mechanism())


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
        statistics_message = StatisticsMessage(width, width, guarantee.noise_std, noised_by)
        summary = statistics_message.summary(client, statistics.clipped(values, CLIP), label)
        counts, (sums, squares) = summary.counts, summary.tables
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
            faults.without_keys(summary_messages, faults.CLIENTS, [0]),
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
)
