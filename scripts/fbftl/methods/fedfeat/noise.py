"""Noise on features that clients send, and what it guarantees."""

from fbftl.exchange.protection import Protection
from fbftl.ground.errors import required
from fbftl.privacy.feature_noise import FeatureNoise, bounded, published
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.job import Job
from fbftl.training.batches import most_participations
from fbftl.training.tasks.task import Learner, Repetition


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
        clip_norm=setting.feature_clip,
        delta=required(delta),
        rounds=participations,
        epsilon=setting.epsilon,
        sigma=setting.sigma,
    )
