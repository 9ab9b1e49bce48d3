"""Mechanisms on what clients send one by one: features, labels, updates, counts."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from fbftl.attacks.audits import faults
from fbftl.attacks.audits.faults import Fault, Patch
from fbftl.attacks.audits.mechanism import (
    CLIENTS,
    CLIP,
    DELTA,
    LONG,
    RELEASE,
    RELEASES,
    ROUNDS,
    Flags,
    Floats,
    Mechanism,
    beside_neighbour,
    job_of,
    long_records,
    signs,
    split,
    without_noise,
)
from fbftl.attacks.audits.trial import Curves
from fbftl.attacks.membership import Scores
from fbftl.exchange import sending
from fbftl.exchange.post import Post
from fbftl.ground.errors import required
from fbftl.messages.channel import PacketLoss
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import Link
from fbftl.messages.vectors import Vectors
from fbftl.methods.eppfl import activations
from fbftl.methods.eppfl.rounds import crossing_of
from fbftl.methods.fade import rounds as fade_rounds
from fbftl.methods.fade import server as fade_server
from fbftl.methods.fade.groups import Users
from fbftl.methods.fade.participation import ParticipationSchedule
from fbftl.privacy import mechanisms, noise
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.privacy.tradeoffs import (
    LaplaceTradeOff,
    ResponseTradeOff,
    gaussian_tradeoff,
    together,
)
from fbftl.training.local_updates import LocalUpdate, MiniBatch

WIDTH = 4
"""Numbers of a record."""

FEW = 10
"""One in so many trials is repeated for whoever compares two outputs."""

LABELS = 10
"""Classes of labels that are answered at random."""


def gaussian_curves(*views: str) -> Callable[[float], Curves]:
    """Return what a Gaussian release states for each view; two releases are at epsilon and half."""

    def curves(epsilon: float) -> Curves:
        alone = gaussian_tradeoff(epsilon, DELTA)
        both = together(alone, gaussian_tradeoff(epsilon / 2, DELTA))
        return {view: both if view == RELEASES else alone for view in views}

    return curves


def features(epsilon: float, included: Flags, seed: int) -> Mapping[str, Scores]:
    """Score uploads of features, each clipped and noised."""
    payload = _vectors(long_records(included, WIDTH), np.zeros(len(included), dtype=np.int64))
    first, sigma = _uploaded(epsilon, payload, seed)
    few = slice(0, len(included) // FEW)
    repeated = _vectors(payload.values[few], payload.labels[few])
    second, other_sigma = _uploaded(epsilon / 2, repeated, seed)
    return {
        RELEASE: split(first, included),
        CLIENTS: split(beside_neighbour(first, CLIP * signs(included)), included[::2]),
        RELEASES: split(without_noise(first[few], second, other_sigma / sigma), included[few]),
    }


def _vectors(values: np.ndarray, labels: np.ndarray) -> Vectors:
    return Vectors(values, labels, np.arange(len(values)), LABELS)


def _uploaded(epsilon: float, payload: Vectors, seed: int) -> tuple[Floats, float]:
    """Return the noised first number of each upload, and the noise multiplier."""
    privacy = {"feature_clip": {"norm": CLIP}}
    job = job_of("fbftl", privacy=privacy, mechanism="gaussian", epsilon=epsilon)
    how = sending.sending(job, payload, None)
    return how.released(seed).values[:, 0].astype(np.float64), how.sigma


def labels(epsilon: float, included: Flags, seed: int) -> Mapping[str, Scores]:
    """Score labels under randomised response: 1 with the record, 0 without."""
    true = included.astype(np.int64)
    payload = _vectors(np.zeros((len(true), 1), dtype=np.float32), true)
    how = sending.sending(job_of("fbftl", label_epsilon=epsilon), payload, None)
    answers = how.released(seed).labels
    as_neighbour = (answers[::2] - (answers[1::2] - true[1::2])) % LABELS
    return {
        RELEASE: split(_likelier(answers), included),
        CLIENTS: split(_likelier(as_neighbour), included[::2]),
    }


def _likelier(answers: np.ndarray) -> Floats:
    """Return the sign of the logarithm of the likelihood ratio of label 1 over label 0."""
    return (answers == 1).astype(np.float64) - (answers == 0)


def response_curves(epsilon: float) -> Curves:
    """Return what randomised response states."""
    return dict.fromkeys((RELEASE, CLIENTS), ResponseTradeOff(epsilon, LABELS))


def moving_less(right: Callable[..., Any]) -> Callable[..., Any]:
    """Return what keeps labels so often that half as many move."""
    return lambda epsilon, classes: (1 + right(epsilon, classes)) / 2


def updates(epsilon: float, included: Flags, seed: int) -> Mapping[str, Scores]:
    """Score updates that users clip and noise before they send them."""
    count = len(included)
    few = slice(0, count // FEW)
    everybody = np.arange(count)
    privacy = {"update_clip": CLIP}
    job = job_of("fade", rounds=1, privacy=privacy, mechanism="update_gaussian", epsilon=epsilon)
    alone = ParticipationSchedule(everybody[None], np.ones((1, count), dtype=bool))
    guarantee = fade_rounds.guarantee_of(job, alone.most_participations)
    users = Users([everybody[:1]] * count, everybody, np.zeros(count, dtype=np.int64))
    update_noise = fade_server.UpdateNoise(CLIP, required(guarantee.noise_std), seed)
    post = Post(
        Ledger(method="fade"), Link(PacketLoss(0.0), 0, 64), seed, mechanisms.no_mechanism()
    )
    server = fade_server.PartServer(post, users, None, 0, update_noise)
    start = torch.zeros(WIDTH)
    trained = torch.from_numpy(long_records(included, WIDTH))
    first = server.sent(1, everybody, start, trained)[:, 0].numpy().astype(np.float64)
    unmoved = torch.zeros_like(trained[few])
    second = server.sent(2, everybody[few], start, unmoved)[:, 0].numpy()
    return {
        RELEASE: split(first, included),
        CLIENTS: split(beside_neighbour(first, CLIP * signs(included)), included[::2]),
        ROUNDS: split(first[few] - second, included[few]),
    }


def halving_record(right: Callable[..., Any]) -> Callable[..., Any]:
    """Return what states a guarantee and half of the noise that it takes."""

    def halved(**arguments: float) -> PrivacyRecord:
        record = right(**arguments)
        return replace(record, noise_std=record.noise_std / 2)

    return halved


def sent_activations(epsilon: float, included: Flags, seed: int) -> Mapping[str, Scores]:
    """Score activations at the boundary of a split network: 0 without the record, B with it."""
    axes = {"mechanism": "laplace", "laplace_sensitivity": "clip", "epsilon": epsilon}
    job = job_of("eppfl", rounds=1, privacy={"activation_clip": CLIP}, **axes)
    boundary = activations.Boundary(crossing_of(job), seed)
    record = torch.from_numpy(included.astype(np.float32) * np.float32(LONG * CLIP))[:, None]

    def passed(round_number: int, client: int, values: torch.Tensor) -> Floats:
        rows = np.arange(len(values))
        batch = MiniBatch(LocalUpdate(seed, round_number, client, rows), 1, True, rows)
        return boundary(values, batch)[:, 0].numpy().astype(np.float64)

    first, of_neighbour = passed(1, 0, record), passed(1, 1, torch.zeros_like(record))
    second = passed(2, 0, torch.zeros_like(record))
    return {
        RELEASE: split(first, included),
        CLIENTS: split(first - of_neighbour, included),
        ROUNDS: split(first - second, included),
    }


def laplace_curves(epsilon: float) -> Curves:
    """Return what Laplace noise on one activation states."""
    return dict.fromkeys((RELEASE, CLIENTS, ROUNDS), LaplaceTradeOff(epsilon))


UPLOADS = (
    Mechanism(
        "gaussian on features",
        "a sample's features replaced",
        gaussian_curves(RELEASE, CLIENTS, RELEASES),
        features,
        (
            faults.halving(sending, "sample_noise"),
            faults.unclipped(noise),
            faults.OTHER_ADJACENCY,
            faults.without_keys(noise, faults.CLIENTS, [1]),
            faults.same_release(sending),
        ),
    ),
    Mechanism(
        "randomised response",
        "a sample's label replaced",
        response_curves,
        labels,
        (
            Fault(faults.HALVED, (Patch(noise, "keep_probability", moving_less),)),
            faults.without_keys(noise, faults.CLIENTS, [0]),
        ),
    ),
    Mechanism(
        "update_gaussian",
        "a user's data replaced",
        gaussian_curves(RELEASE, CLIENTS, ROUNDS),
        updates,
        (
            Fault(faults.HALVED, (Patch(mechanisms, "update_gaussian", halving_record),)),
            faults.unclipped(fade_server),
            faults.OTHER_ADJACENCY,
            faults.without_keys(fade_server, faults.ROUNDS, [0]),
            faults.without_keys(fade_server, faults.CLIENTS, [1]),
        ),
    ),
    Mechanism(
        "laplace on activations",
        "an activation replaced",
        laplace_curves,
        sent_activations,
        (
            faults.halving(activations, "laplace"),
            faults.unclipped(torch.Tensor, "clamp"),
            faults.without_keys(activations, faults.ROUNDS, [0], "torch_seed"),
            faults.without_keys(activations, faults.CLIENTS, [1], "torch_seed"),
        ),
    ),
)
