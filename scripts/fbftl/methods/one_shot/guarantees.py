"""What one-shot messages guarantee: each by itself, or a secure sum whose dealer adds the noise."""

from fbftl.exchange.sending import guarantees_of_features
from fbftl.ground.errors import required
from fbftl.privacy.mechanisms import PrivacyRecord, no_mechanism
from fbftl.privacy.noise import clip_norm
from fbftl.privacy.statistics import statistics_guarantee
from fbftl.study.job import Job
from fbftl.tasks.task import LabelledFeatures


def guarantee_of(job: Job, client_data: LabelledFeatures) -> PrivacyRecord:
    """Return the guarantee of a setting's messages, the noise calibrated.

    Args:
        job: the setting with its training values.
        client_data: what the clients hold, and public features for a clip norm that is a quantile.
    """
    if job.setting.mechanism == "none":
        return no_mechanism()
    return _guarantee(job, clip_norm(required(job.privacy.feature_clip), client_data.public))


def guarantees(job: Job, clients: int) -> tuple[PrivacyRecord, ...]:
    """Return what a job will guarantee, whose clip norm changes no guarantee."""
    if job.setting.message == "features":
        return guarantees_of_features(job)
    if job.setting.mechanism != "gaussian":
        return (no_mechanism(),)
    return (_guarantee(job, 1.0),)


def _guarantee(job: Job, norm: float) -> PrivacyRecord:
    return statistics_guarantee(
        clip_norm=norm,
        epsilon=job.setting.epsilon,
        sigma=job.setting.sigma,
        delta=required(job.privacy.delta),
        central=job.setting.aggregation == "masked",
    )
