"""FedFeat+ (paper fedfeat): FedAvg whose server retrains the classifier on noised features.

Clients send noised features and labels of their last local epoch with their weights; the server
averages the weights and trains the classifier on all features that arrive, every round.

Features and labels travel with the weights, in one message of three parts, where they are of the
client's own extractor. Features of the averaged extractor need a further message each way: it goes
down once the weights are averaged, and features and labels come up.

A linear probe says how good an extractor is, whatever its classifier (Sec. VI, Lemma 6): it is
fitted afresh, in closed form, on the features that the averaged extractor gives of all clients'
samples, without noise, and tried on the test split's.

How far noise takes features from what they were (Eq. 39-43) is measured on histograms. All numbers
of all samples count alike, whatever coordinate they are of, in one on the
range of both sides together. Bins, base and the constant of the divergence are not published; they
are those below, and the run file says them.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from fbftl.exchange.averaging import Server, by_samples, by_weights
from fbftl.exchange.protection import Protection
from fbftl.exchange.repetition import parameter_count, run_rounds
from fbftl.exchange.uplink import Traffic, Uplink
from fbftl.ground.errors import required
from fbftl.messages.statistics import Statistics
from fbftl.privacy.feature_noise import FeatureNoise, bounded, published
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.privacy.release import noise_seed
from fbftl.study.job import Job
from fbftl.training.batches import Round, Rounds, most_participations
from fbftl.training.closed_form import ridge
from fbftl.training.curves import Measure
from fbftl.training.feature_network import FeatureNetwork, FeatureRequest, ReportedFeatures
from fbftl.training.local_network import LocalNetwork, local_network, represented
from fbftl.training.tasks.task import (
    ClientSamples,
    Inputs,
    Learner,
    Outcome,
    Repetition,
    client_samples,
)

BINS = 64
"""Of the histograms, on each side."""

SMALL = 1e-9
"""What Eq. (40) adds to probabilities as printed, and Eq. (42) as it stands here."""


def feature_metrics(clean: ArrayLike, noised: ArrayLike) -> dict[str, float]:
    """Return the four metrics, and how large the features are that they are about.

    `mutual_information`, `entropy_difference` and `kl_divergence` in nats, `feature_correlation`
    after Pearson, 0 where a side is constant; `feature_std` over all numbers, `feature_norm` the
    mean L2 norm of a sample.

    Args:
        clean: (n, ...) features of n samples, at least one.
        noised: as they are sent, of the same shape.
    """
    rows = np.asarray(clean, dtype=np.float64)
    rows = rows.reshape(len(rows), -1)
    x, y = rows.ravel(), np.asarray(noised, dtype=np.float64).ravel()
    low, high = min(x.min(), y.min()), max(x.max(), y.max())
    width = (high - low) / BINS or 1.0
    first, second = (np.minimum((v - low) / width, BINS - 1).astype(np.int64) for v in (x, y))
    counts = np.bincount(first * BINS + second, minlength=BINS**2)
    joint = counts.reshape(BINS, BINS) / len(x)
    p, q = joint.sum(1), joint.sum(0)
    return {
        "mutual_information": max(_entropy(p) + _entropy(q) - _entropy(joint), 0.0),
        "entropy_difference": abs(_printed_entropy(p) - _printed_entropy(q)),
        "kl_divergence": max(float((p * np.log((p + SMALL) / (q + SMALL))).sum()), 0.0),
        "feature_correlation": _correlation(x, y),
        "feature_std": float(x.std()),
        "feature_norm": float(np.linalg.norm(rows, axis=1).mean()),
    }


def _entropy(shares: NDArray[np.float64]) -> float:
    present = shares[shares > 0]
    return float(-(present * np.log(present)).sum())


def _printed_entropy(shares: NDArray[np.float64]) -> float:
    """Return Eq. (40), which adds a constant inside the logarithm."""
    return float(-(shares * np.log(shares + SMALL)).sum())


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return Pearson's coefficient, Eq. (43)."""
    centred_x, centred_y = x - x.mean(), y - y.mean()
    scale = np.sqrt((centred_x**2).sum() * (centred_y**2).sum())
    return float((centred_x * centred_y).sum() / scale) if scale > 0 else 0.0


NATS = f"nats, {BINS} bins"

NOISE_MEASURES = {
    "mutual_information": Measure(NATS),
    "entropy_difference": Measure(NATS),
    "kl_divergence": Measure(NATS),
    "feature_correlation": Measure("correlation"),
    "feature_std": Measure("feature units"),
    "feature_norm": Measure("feature units"),
}
"""Of the last round's features, between what the extractors gave and what the server heard."""


@dataclass(frozen=True)
class Retrained:
    """A run with the networks afterwards, for those who attack what clients told.

    networks: one per seed; each still has what the server heard last.
    """

    outcome: Outcome
    networks: list[Any]


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    return retrain(job, client_samples(job, inputs), inputs.room.folder).outcome


def retrain(job: Job, client_data: ClientSamples, scratch: Path | None = None) -> Retrained:
    """Do the same, and keep each seed's network.

    Args:
        job: the setting with its training values.
        client_data: what the clients hold.
        scratch: folder for memories of error feedback that are too large for RAM.
    """
    networks: list[Any] = []
    learner_of = feature_network(job, client_data)

    def kept(repetition: Any) -> Any:
        networks.append(learner_of(repetition))
        return networks[-1]

    aggregate = equally if job.setting.client_weighting == "equal" else by_samples

    def train(learner: FeatureNetwork, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
        def after(_: LocalNetwork, round_: Round, arrives: np.ndarray) -> None:
            if learner.request.epochs:
                learner.retrain(round_.number, _received(learner, uplink, round_, arrives))

        return by_weights(lambda: Server(aggregate, after=after))(learner, uplink, schedule)

    outcome = run_rounds(job, client_data, kept, weights_and_features, scratch, train, on_features)
    network_of = dict(zip(job.seeds, networks, strict=True))
    measured = outcome.with_more(lambda of: noise_measured(network_of[of["seed"]]), NOISE_MEASURES)
    if job.setting.probed:
        measured = measured.with_more(lambda of: probed(network_of[of["seed"]]), PROBE_MEASURES)
    return Retrained(measured, networks)


def noise_measured(network: Any) -> dict[str, Any]:
    """Return the metrics of the features heard last; None where there are none, or none finite."""
    received = network.received
    if not received or not all(features.sent.isfinite().all() for features in received):
        return dict.fromkeys(NOISE_MEASURES)
    clean, sent = (
        torch.cat([getattr(features, side).flatten(1) for features in received]).cpu().numpy()
        for side in ("clean", "sent")
    )
    return feature_metrics(clean, sent)


def feature_network(job: Job, client_data: ClientSamples) -> Callable[[Repetition], FeatureNetwork]:
    """Return what makes a repetition's network, which tells features as the setting asks."""
    setting = job.setting

    def initial_learner(repetition: Repetition) -> FeatureNetwork:
        noise = feature_noise(job, len(repetition.clients), repetition.seed)
        request = FeatureRequest(
            setting.features_from, setting.server_epochs, setting.feature_clip, noise,
            setting.server_step, noise_seed(job, repetition.seed),
        )  # fmt: skip
        return local_network(client_data, repetition, of=partial(FeatureNetwork, request=request))

    return initial_learner


def weights_and_features(learner: FeatureNetwork) -> Traffic:
    """Return what is exchanged in a round's first messages; a label counts as one number."""
    weights = {"weights": parameter_count(learner)}
    if not learner.sends_features:
        return Traffic(lambda samples: weights, weights)
    return Traffic(lambda samples: weights | _feature_floats(learner, samples), weights)


def _feature_floats(learner: FeatureNetwork, samples: np.ndarray) -> dict[str, np.ndarray]:
    return {"features": learner.width * samples, "labels": samples}


def equally(weights: Tensor, counts: np.ndarray) -> Tensor:
    """Return the average (X,) of clients' weights (A, X) that all count alike."""
    return weights.mean(0)


def _received(
    learner: FeatureNetwork, uplink: Uplink, round_: Round, arrives: np.ndarray
) -> list[ReportedFeatures]:
    """Return the features that the server receives in a round."""
    if learner.sends_features:
        return learner.reported(round_, arrives)
    down = {"weights": learner.client_floats}
    answered = uplink.again(round_, down, _feature_floats(learner, round_.counts))
    return [
        learner.extracted(int(round_.clients[index]), round_.rows[index][round_.present[index]])
        for index in np.flatnonzero(answered)
    ]


REGULARISATION = 1e-3
"""Of the mean eigenvalue of the features' Gram matrix; ours."""

PROBE_MEASURES = {"probe_accuracy": Measure("share", "higher", diverged=0.0)}
"""Test accuracy of the fresh classifier."""


def probed(network: FeatureNetwork) -> dict[str, float]:
    """Return what a network's extractor measures; 0 where its features are not finite."""
    samples, test = network.training_data.samples, network.training_data.test
    (known, labels), (seen, wanted) = (
        represented(network.split_model.front, split.at(np.arange(len(split.labels))))
        for split in (samples, test)
    )
    accuracy = 0.0
    if np.isfinite(known).all() and np.isfinite(seen).all():
        classes = int(max(labels.max(), wanted.max())) + 1
        statistics = Statistics.of(known, labels, classes)
        accuracy = ridge(statistics, (REGULARISATION,)).head.accuracy(seen, wanted)
    return {"probe_accuracy": accuracy}


def on_features(repetition: Repetition, learner: Learner) -> Protection:
    """Return what the noise on features guarantees; weights are sent as they are."""
    noise = feature_noise(repetition.job, len(repetition.clients), repetition.seed)
    return Protection(learner.schedule, (no_mechanism(),) if noise is None else noise.records)


def feature_noise(job: Job, clients: int, seed: int) -> FeatureNoise | None:
    """Return the noise that a setting puts on features at the boundary, or None if it puts none.

    Args:
        job: the setting with its training values.
        clients: their number.
        seed: the repetition's seed, which decides who takes part how often.
    """
    setting, delta = job.setting, job.privacy.delta
    if setting.mechanism in ("feature_gaussian", "feature_laplace"):
        return published(setting.mechanism, setting.epsilon, delta)
    if setting.mechanism != "gaussian":
        return None
    training = job.network_training
    participations = most_participations(
        clients, training.clients_per_round, training.local_rounds, seed
    )
    return bounded(
        clip_norm=setting.feature_clip, delta=required(delta), rounds=participations,
        epsilon=setting.epsilon, sigma=setting.sigma,
    )  # fmt: skip
