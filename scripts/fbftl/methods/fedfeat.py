"""FedFeat+ (paper fedfeat): FedAvg, and a classifier that the server retrains on features.

Clients send noised features and labels of their last local epoch with their weights; the server
averages the weights and trains the classifier on all features that arrive, every round.
"""

from dataclasses import dataclass, replace
from typing import Any

import torch

from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.retraining import by_retraining, feature_network, weights_and_features
from fbftl.privacy.feature_metrics import BINS, feature_metrics
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_samples
from fbftl.training.measures import Measure

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
    return fit(job, inputs).outcome


def fit(job: Job, inputs: Inputs) -> Retrained:
    """Do the same, and keep each seed's network."""
    held, networks = held_samples(job, inputs), []
    begin = feature_network(job, held)

    def kept(repetition: Any) -> Any:
        networks.append(begin(repetition))
        return networks[-1]

    train = by_retraining(job)
    outcome = run_rounds(job, held, kept, weights_and_features, inputs.room.folder, train)
    repetitions = [
        found | noise_measured(network)
        for found, network in zip(outcome.repetitions, networks, strict=True)
    ]
    told = replace(outcome, repetitions=repetitions, measures=outcome.measures | NOISE_MEASURES)
    return Retrained(told, networks)


def noise_measured(network: Any) -> dict[str, float | None]:
    """Return the metrics of the features heard last; None where there are none, or none finite."""
    heard = network.heard
    if not heard or not all(one.sent.isfinite().all() for one in heard):
        return dict.fromkeys(NOISE_MEASURES)
    clean, sent = (
        torch.cat([getattr(one, side).flatten(1) for one in heard]).cpu().numpy()
        for side in ("clean", "sent")
    )
    return feature_metrics(clean, sent)
