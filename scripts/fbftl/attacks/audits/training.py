"""Mechanisms of training: the noisy step of DP-FedAvg and of private descent, noise on features."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

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
    Sample,
    blocks,
    job_of,
    long_records,
    signs,
    split,
    without_noise,
)
from fbftl.attacks.audits.sums import seeds
from fbftl.attacks.audits.uploads import FEW, WIDTH, gaussian_curves
from fbftl.attacks.membership import Scores
from fbftl.exchange import protection, uplink
from fbftl.exchange.post import Receipt
from fbftl.methods.fedfeat import noise as fedfeat_noise
from fbftl.methods.private_gd import descent
from fbftl.methods.private_gd import run as private_run
from fbftl.methods.private_gd.server import noise_of
from fbftl.models import clip
from fbftl.models.heads import Head
from fbftl.privacy import accounting, feature_noise, noise
from fbftl.study.job import Job
from fbftl.training import feature_network
from fbftl.training.batches import Round
from fbftl.training.feature_network import FeatureNetwork, FeatureRequest
from fbftl.training.local_updates import LocalPlan, SplitModel
from fbftl.training.samples import LabelledInputs, TrainingData

MOVED = 128
"""Numbers of an update, each moved by a client of its own."""

ROUND_COUNT = 2
"""Rounds, or steps, that are composed."""


def averaged_updates(replaced: bool) -> Sample:
    """Return what scores DP-FedAvg's sums, from which a client is left out, or replaced in them.

    Clients of even number take part in both rounds, the others in the first alone: an adversary
    compares it with the second.
    """

    def sample(epsilon: float, included: Flags, seed: int) -> Mapping[str, Scores]:
        first, std = _two_rounds(_averaging(epsilon, replaced), included, seed, replaced)
        both = np.arange(len(included)) % MOVED % 2 == 0
        scores = {
            RELEASE: split(first[both].sum(axis=1), included[both]),
            ROUNDS: split(first[~both, 0] - first[~both, 1], included[~both]),
        }
        if not replaced:
            few = np.flatnonzero(both)[: len(included) // FEW]
            last = few[-1] + 1
            second, other_std = _two_rounds(
                _averaging(epsilon / 2, replaced), included[:last], seed, replaced
            )
            exact = without_noise(first[few], second[few], other_std / std).sum(axis=1)
            scores[RELEASES] = split(exact, included[few])
        return scores

    return sample


def _averaging(epsilon: float, replaced: bool) -> Job:
    """Return a job of DP-FedAvg in which every client takes part in every round."""
    axes = {"epsilon": epsilon}
    if replaced:
        axes = {
            "sigma": accounting.rounds_sigma(
                epsilon, DELTA, rate=1.0, rounds=ROUND_COUNT, adjacency="replace-one"
            )
        }
    return job_of(
        "ftl_c", clients_per_round=MOVED, rounds=ROUND_COUNT, privacy={"update_clip": CLIP},
        mechanism="dp_fedavg", **axes,
    )  # fmt: skip


def _two_rounds(job: Job, included: Flags, seed: int, replaced: bool) -> tuple[Floats, float]:
    """Return the sum of each client's number in both rounds (n, 2), and the noise on it."""
    rows = [np.array([client]) for client in range(MOVED)]
    parts = blocks(len(included), MOVED)
    outputs = []
    for part, of_call in zip(parts, seeds(seed, len(parts)), strict=True):
        protected = protection.protection_by_rounds(job, rows, of_call, ())
        length = LONG * CLIP * np.ones(len(included[part]))
        moves = np.diag(length * (signs(included[part]) if replaced else 1.0)).astype(np.float32)
        moves = np.pad(moves, (0, MOVED - len(moves)))
        sums = []
        for index in range(ROUND_COUNT):
            takes_part = np.zeros(MOVED, dtype=bool)
            takes_part[: len(length)] = True if replaced else included[part]
            takes_part[1::2] &= index == 0
            clients = np.flatnonzero(takes_part)
            present = np.ones((len(clients), 1), dtype=bool)
            round_ = Round(index, clients, clients[:, None], present)
            sent = protected.releasing(round_, moves[clients]).values
            receipt = Receipt(clients, round_.number, present[:, 0], sent)
            sums.append(protected.averaging(round_, receipt) * MOVED)
        outputs.append(np.stack(sums, axis=1)[: len(length)])
    std = protection.round_noise(job, 1.0, ROUND_COUNT, CLIP).multipliers[0] * CLIP
    return np.concatenate(outputs).astype(np.float64), std


def averaging_arrivals(right: Callable[..., Any]) -> Callable[..., Any]:
    """Return a sum as of all planned clients, made of those that take part, under its old noise."""

    def scaled_up(clipped: np.ndarray, **how: Any) -> np.ndarray:
        return right(np.asarray(clipped) * (MOVED / max(len(clipped), 1)), **how)

    return scaled_up


def descending(epsilon: float, included: Flags, seed: int) -> Mapping[str, Scores]:
    """Score two steps of private descent, in which a row has one label or the other.

    At a low learning rate the row moves both steps. At a high one it has no gradient in the second
    if the first step fits it: whoever has the noise of one step from the other sees that.
    """
    few = included[: len(included) // FEW]
    both, std = _moved(epsilon, included, seed, ROUND_COUNT, LOW_RATE)
    second, other_std = _moved(epsilon / 2, few, seed, ROUND_COUNT, LOW_RATE)
    (step, _), (steps, _) = (_moved(epsilon, few, seed, count, 1.0) for count in (1, ROUND_COUNT))
    return {
        RELEASE: split(both, included),
        ROUNDS: split(step - (steps - step), few),
        RELEASES: split(without_noise(both[: len(few)], second, other_std / std), few),
    }


FAR = 1000.0
"""Length of an input beside which the gradient of the bias is nothing."""

GRADIENT_CLIP, LOW_RATE = 1.0, 1e-6


def _moved(
    epsilon: float, included: Flags, seed: int, steps: int, learning_rate: float
) -> tuple[Floats, float]:
    """Return the sum over steps of noisy sums of clipped gradients, a number of each row (n,),
    and the noise on each step."""
    job = job_of(
        "private_gd", privacy={"gradient_clip": GRADIENT_CLIP}, mechanism="dp_gd",
        epsilon=epsilon, descent_steps=ROUND_COUNT, neighbour_relation="replaced",
    )  # fmt: skip
    multipliers = noise_of(job).multipliers
    padded = np.concatenate([included, np.zeros(-len(included) % MOVED, dtype=bool)])
    of_head = padded.reshape(-1, MOVED).astype(np.int64)
    samples = descent.OwnSamples(
        torch.eye(MOVED).repeat_interleave(2, dim=0) * FAR,
        torch.arange(2).repeat(MOVED),
        [2 * np.arange(MOVED) + labels for labels in of_head],
    )
    noised_by = [private_run.noise_seed(job, of_call) for of_call in seeds(seed, len(of_head))]
    noise_of_heads = np.repeat(multipliers[:steps, None], len(of_head), axis=1)
    how = descent.Descent(noise_of_heads, GRADIENT_CLIP, learning_rate)
    head = descent.descend(_zeros, samples, range(len(of_head)), how, noised_by).head
    weights = head.weights[0].flatten().numpy().astype(np.float64)[: len(included)]
    return weights * MOVED / learning_rate, multipliers[0] * GRADIENT_CLIP


def _zeros(numbers: Any) -> Head:
    """Return linear heads of one output that are zero."""
    count = len(numbers)
    return Head([torch.zeros(count, MOVED, 1)], [torch.zeros(count, 1, 1)])


def doubling_sums(right: Callable[..., Any]) -> Callable[..., Any]:
    """Return sums as of twice the samples that they have."""

    def doubled(*args: Any) -> Any:
        losses, sums = right(*args)
        return losses, [2 * total for total in sums]

    return doubled


def unclipped_sums(right: Callable[..., Any]) -> Callable[..., Any]:
    """Return sums of gradients as long as they are."""
    return lambda *arguments: right(*arguments[:-1], float("inf"))


def passing(_: Callable[..., Any]) -> Callable[..., Any]:
    """Return a layer's pass that leaves features as they are."""
    return lambda layer, features: features


def one_draw(right: Callable[..., Any]) -> Callable[..., Any]:
    """Return what draws noise for the first step, and gives it again in every further one."""
    drawn: dict[tuple[int, ...], Any] = {}

    def repeated(draws: Any, like: Any) -> Any:
        key = tuple(map(id, draws))
        if key not in drawn:
            drawn.clear()
            drawn[key] = draws, right(draws, like)
        return drawn[key][1]

    return repeated


def sent_features(epsilon: float, included: Flags, seed: int) -> Mapping[str, Scores]:
    """Score features that a client sends under noise, beside its neighbour's and the next round's.

    The record is in the first round of one client; all other features are zero.
    """
    count = len(included)
    axes = {"mechanism": "gaussian", "epsilon": epsilon, "feature_clip": CLIP}
    job = job_of("fedfeat", clients_per_round=2, rounds=1, **axes)
    noise_in_rounds = fedfeat_noise.feature_noise(job, 2, seed)
    inputs = np.pad(long_records(included, WIDTH), ((0, count), (0, 0)))
    samples = LabelledInputs(torch.from_numpy(inputs), torch.zeros(2 * count, dtype=torch.int64))
    network = FeatureNetwork(
        SplitModel(nn.Identity(), nn.Linear(WIDTH, 2)),
        TrainingData(samples, np.zeros(0, dtype=np.int64), samples, job.network_training, ()),
        LocalPlan(1, None, job.network_training),
        seed,
        request=FeatureRequest("last_epoch", 1, CLIP, noise_in_rounds, noised_by=seed),
    )
    records, nothing = np.arange(count), np.arange(count, 2 * count)
    present = np.ones((2, count), dtype=bool)

    def sent(index: int, rows: np.ndarray) -> list[tuple[np.ndarray, Floats]]:
        """Return rows and first numbers in the order in which each client sends them."""
        round_ = Round(index, np.arange(2), rows, present)
        network.train(round_)
        reports = network.reported(round_, np.ones(2, dtype=bool))
        return [(report.rows, report.sent[:, 0].numpy().astype(np.float64)) for report in reports]

    (order, first), (_, of_neighbour) = sent(0, np.stack([records, nothing]))
    (_, second), _ = sent(1, np.stack([nothing, nothing]))
    in_order = included[order]
    return {
        RELEASE: split(first, in_order),
        CLIENTS: split(first - of_neighbour, in_order),
        ROUNDS: split(first - second, in_order),
    }


def halving_sum(right: Callable[..., Any]) -> Callable[..., Any]:
    """Return a sum under half of its noise."""

    def noisy_sum(clipped: np.ndarray, *, noise_std: float, **how: Any) -> np.ndarray:
        return right(clipped, noise_std=noise_std / 2, **how)

    return noisy_sum


SUM_HALVED = Fault(faults.HALVED, (Patch(uplink, "noisy_sum", halving_sum),))

TRAINING = (
    Mechanism(
        "dp_fedavg",
        "a client left out",
        gaussian_curves(RELEASE, ROUNDS, RELEASES),
        averaged_updates(replaced=False),
        (
            SUM_HALVED,
            faults.unclipped(uplink),
            Fault(faults.DIVISOR, (Patch(uplink, "noisy_sum", averaging_arrivals),)),
            faults.without_keys(noise, faults.ROUNDS, [0]),
            faults.same_release(protection),
        ),
    ),
    Mechanism(
        "dp_fedavg, replacing",
        "a client replaced",
        gaussian_curves(RELEASE, ROUNDS),
        averaged_updates(replaced=True),
        (SUM_HALVED, faults.unclipped(uplink), faults.OTHER_ADJACENCY),
    ),
    Mechanism(
        "dp_gd",
        "a row replaced",
        gaussian_curves(RELEASE, ROUNDS, RELEASES),
        descending,
        (
            faults.halving(descent, "_normal"),
            Fault(
                faults.UNCLIPPED,
                (Patch(descent, "clipped_sums", unclipped_sums),),
            ),
            faults.OTHER_ADJACENCY,
            Fault(faults.DIVISOR, (Patch(descent, "clipped_sums", doubling_sums),)),
            Fault(faults.ROUNDS, (Patch(descent, "_normal", one_draw),)),
            faults.same_release(private_run),
        ),
    ),
    Mechanism(
        "gaussian on features, in rounds",
        "a sample's features replaced",
        gaussian_curves(RELEASE, CLIENTS, ROUNDS),
        sent_features,
        (
            faults.halving(feature_noise.FeatureNoise, "draw"),
            Fault(faults.UNCLIPPED, (Patch(clip.Clip, "forward", passing),)),
            faults.OTHER_ADJACENCY,
            faults.without_keys(feature_network, faults.ROUNDS, [0]),
            faults.without_keys(feature_network, faults.CLIENTS, [1]),
        ),
    ),
)
