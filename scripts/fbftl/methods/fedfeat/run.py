"""A run of FedFeat+, all its seeds."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from fbftl.exchange.repetition import run_rounds
from fbftl.ground.errors import required
from fbftl.methods.fedfeat.feature_metrics import BINS, feature_metrics
from fbftl.methods.fedfeat.noise import feature_noise, on_features
from fbftl.methods.fedfeat.probe import PROBE_MEASURES, probed
from fbftl.methods.fedfeat.retraining import by_retraining, feature_network, weights_and_features
from fbftl.privacy.mechanisms import PrivacyRecord, no_mechanism
from fbftl.study.job import Job
from fbftl.tasks.task import ClientSamples, Inputs, Outcome, client_samples
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

    train = by_retraining(job)
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


def guarantees(job: Job, clients: int) -> tuple[PrivacyRecord, ...]:
    """Return what a job with so many clients will guarantee."""
    if job.setting.mechanism != "gaussian":
        return (no_mechanism(),)
    return required(feature_noise(job, clients, job.seeds[0])).records
