"""What a setting's mechanism will guarantee, before any job: for budgets of privacy."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from fbftl.exchange.outsourcing import guarantees_of
from fbftl.exchange.protection import feature_noise, pace, round_noise
from fbftl.exchange.trusted import noise_of
from fbftl.privacy import mechanisms
from fbftl.privacy.accounting import gaussian_sigma
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.privacy.statistics import statistics_guarantee
from fbftl.study.job import Job, from_params


def planned_guarantees(
    params: Mapping[str, Any], axes: Mapping[str, Mapping[str, Any]], clients: int
) -> Sequence[Mapping[str, Any]]:
    """Return what a job will guarantee, in builtin types.

    Clip norms are left at 1, since no guarantee depends on them.

    Args:
        params: the job, as `study.config.Study.job` gives it.
        axes: the axes that each method knows, with their defaults.
        clients: clients that take part.
    """
    job = from_params(params, axes)
    label_epsilon = getattr(job.setting, "label_epsilon", None)
    records = _records(job, clients)
    if label_epsilon is not None:
        records = (*records, mechanisms.randomised_response(label_epsilon))
    return [asdict(record) for record in records]


def _records(job: Job, clients: int) -> tuple[PrivacyRecord, ...]:
    setting, delta = job.setting, job.privacy.delta
    match setting.mechanism:
        case "dp_gd":
            return noise_of(job).records
        case "dp_fedavg":
            rate = min(job.training.clients_per_round / clients, 1.0)
            steps, points = pace(job.training, clients)
            return round_noise(job, rate, steps * points, 1.0).records
        case "gaussian" if getattr(setting, "message", "features") != "features":
            noise = {"epsilon": setting.epsilon, "sigma": setting.sigma, "delta": delta}
            central = setting.aggregation == "masked"
            return (statistics_guarantee(clip_norm=1.0, central=central, **noise),)
        case "gaussian" if getattr(setting, "feature_clip", None) is None:
            sigma = setting.sigma or gaussian_sigma(setting.epsilon, delta)
            return mechanisms.gaussian(clip_norm=1.0, sigma=sigma, delta=delta)
        case "counts":
            return guarantees_of(job)
        case "gaussian":
            return feature_noise(job, clients, job.seeds[0]).records
    return (mechanisms.no_mechanism(),)
