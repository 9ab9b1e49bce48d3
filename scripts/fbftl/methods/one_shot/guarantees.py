"""What one-shot messages guarantee: each by itself, or a secure sum by its dealer or committee."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from fbftl.exchange.sending import guarantees_of_features
from fbftl.ground.errors import required
from fbftl.messages.statistics import length
from fbftl.privacy.mechanisms import PrivacyRecord, no_mechanism
from fbftl.privacy.noise import clip_norm
from fbftl.privacy.statistics import shares_guarantee, shares_std, statistics_guarantee
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
    norm = clip_norm(required(job.privacy.feature_clip), client_data.public)
    width = job.setting.projection or client_data.payload.values.shape[1]
    return _guarantee(job, norm, length(client_data.payload.classes, width))


def guarantees(job: Job, clients: int) -> tuple[PrivacyRecord, ...]:
    """Return what a job will guarantee, all its messages arriving.

    How many numbers a message has only the job knows; what rounding them costs is left out.
    """
    if job.setting.message == "features":
        return guarantees_of_features(job)
    if job.setting.mechanism != "gaussian":
        return (no_mechanism(),)
    return (_guarantee(job, 1.0, 0),)


def _guarantee(job: Job, norm: float, numbers: int) -> PrivacyRecord:
    setting, delta = job.setting, required(job.privacy.delta)
    if setting.aggregation != "committee":
        return statistics_guarantee(
            clip_norm=norm,
            epsilon=setting.epsilon,
            sigma=setting.sigma,
            delta=delta,
            central=setting.aggregation == "masked",
        )
    point = setting.fraction_bits
    std = setting.sigma or shares_std(setting.epsilon, delta, numbers, point)
    return shares_guarantee(
        clip_norm=norm, std=std, delta=delta, numbers=numbers, fraction_bits=point
    )


def of_arrivals(
    job: Job, guarantee: PrivacyRecord, sums: Iterable[tuple[np.ndarray, int]], numbers: int
) -> PrivacyRecord:
    """Return what is guaranteed once it is known who arrived: the least of what the sums do.

    Each client is in one sum. Only a committee's noise is less where fewer arrive.

    Args:
        job: the setting with its training values.
        guarantee: that was planned.
        sums: of each, who was asked and how many arrived.
        numbers: of a message.
    """
    if job.setting.aggregation != "committee" or guarantee.noise_std is None:
        return guarantee
    of_sums = [
        shares_guarantee(
            clip_norm=required(guarantee.clip_norm),
            std=guarantee.noise_std,
            delta=required(guarantee.delta),
            numbers=numbers,
            fraction_bits=job.setting.fraction_bits,
            planned=len(planned),
            arrived=arrived,
        )
        for planned, arrived in sums
        if arrived
    ]
    least = max(of_sums, key=lambda record: required(record.epsilon), default=guarantee)
    return replace(least, sigma=guarantee.sigma)
