"""What a setting's privacy mechanism means for training by rounds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from fbftl.exchange.uplink import (
    Averaging,
    Releasing,
    clipping,
    mean_of_arrivals,
    noisy_mean,
    relatively_noisy,
)
from fbftl.ground.errors import required
from fbftl.messages.codec import Compression
from fbftl.privacy import mechanisms
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.privacy.release import noise_seed
from fbftl.study.job import Job
from fbftl.training.batches import Rounds, poisson_rounds


@dataclass(frozen=True)
class Protection:
    """How clients take part in rounds, what they release, and what that guarantees.

    schedule: the rounds of each epoch.
    records: the guarantees, the one that sigma was calibrated to first.
    releasing: what clients do to their updates, or None if nothing.
    averaging: how the server averages.
    """

    schedule: Iterable[Rounds]
    records: tuple[PrivacyRecord, ...]
    releasing: Releasing | None = None
    averaging: Averaging = mean_of_arrivals


def protection_by_rounds(
    job: Job, clients: Sequence[np.ndarray], seed: int, in_turn: Iterable[Rounds]
) -> Protection:
    """Return the protection that a setting asks for.

    Args:
        job: the setting with its training values.
        clients: the training rows of each client.
        seed: the repetition's seed.
        in_turn: the rounds of each epoch where every client has its turn.
    """
    setting = job.setting
    if setting.mechanism == "relative":
        sigma = setting.sigma or _as_printed(job, len(clients))
        return Protection(
            schedule=in_turn,
            records=(mechanisms.relative(sigma),),
            releasing=relatively_noisy(sigma, Compression(), noise_seed(job, seed)),
        )
    if setting.mechanism == "dp_fedavg":
        return _dp_fedavg(job, clients, seed)
    return Protection(in_turn, (mechanisms.no_mechanism(),))


def _as_printed(job: Job, clients: int) -> float:
    """Return the sigma that paper fbftl takes for epsilon: R std(g) is the sensitivity of a round.

    Clients count as drawn anew in every round, which is what the accountant behind Fig. 12 takes.
    """
    rate, steps, points = _sampling(job, clients)
    budget = (job.setting.epsilon, required(job.privacy.delta))
    return _sigma_of_rounds(*budget, rate, steps * points)


def _sampling(job: Job, clients: int) -> tuple[float, int, int]:
    """Return with which probability a client takes part, rounds of an epoch, and epochs."""
    training = job.network_training
    return min(training.clients_per_round / clients, 1.0), *training.pace(clients)


@cache
def _sigma_of_rounds(epsilon: float, delta: float, rate: float, rounds: int) -> float:
    """Return `rounds_sigma`, which takes seconds and is the same for every seed."""
    from fbftl.privacy.accounting import rounds_sigma

    return rounds_sigma(epsilon, delta, rate=rate, rounds=rounds)


def _dp_fedavg(job: Job, clients: Sequence[np.ndarray], seed: int) -> Protection:
    """Return clipped updates of Poisson-sampled clients under noise calibrated over all rounds."""
    # Numbers of clients and samples count as public, so that rate and clip norm may use them.
    rate, steps, points = _sampling(job, len(clients))
    samples = sum(len(client_rows) for client_rows in clients)
    clip_norm = required(job.privacy.update_clip) * samples / len(clients)
    budget = (job.setting.sigma, job.setting.epsilon, required(job.privacy.delta))
    uneven = (job.setting.schedule, job.setting.decay)
    multipliers, records = _round_noise(*budget, clip_norm, rate, steps * points, *uneven)
    stds = np.array(multipliers) * clip_norm
    return Protection(
        schedule=poisson_rounds(clients, rate, steps, points, noise_seed(job, seed)),
        records=records,
        releasing=clipping(clip_norm),
        averaging=noisy_mean(stds, rate * samples, noise_seed(job, seed)),
    )


@cache
def _round_noise(
    sigma: float | None, epsilon: float, delta: float, clip_norm: float,
    rate: float, rounds: int, schedule: str, decay: float,
) -> tuple[tuple[float, ...], tuple[PrivacyRecord, ...]]:  # fmt: skip
    """Return DP-FedAvg's noise of each round over the clip norm, and what all of it guarantees.

    Uneven noise costs what even noise does; the guarantee that it is calibrated to comes first.

    Sigma is calibrated to epsilon unless it is given, at the probability `rate` with which a client
    takes part in a round and the L2 clip norm of its update.
    Seeds share the answer, which takes up to two seconds to find, a minute for uneven rounds.
    """
    # Accounting is slow to import, and only this mechanism needs it.
    from fbftl.privacy.composition import factor_to_epsilon
    from fbftl.privacy.schedules import named

    enough = sigma or _sigma_of_rounds(epsilon, delta, rate, rounds)
    if schedule == "uniform":
        records = mechanisms.dp_fedavg(
            clip_norm=clip_norm, sigma=enough, delta=delta, rate=rate, rounds=rounds
        )
        return (enough,) * rounds, records
    multipliers = named(schedule, rounds * enough**-2, rounds, decay)
    if sigma is None and rate < 1:
        multipliers *= factor_to_epsilon(multipliers.tolist(), rate, epsilon, delta)
    records = mechanisms.dp_fedavg_by_rounds(
        clip_norm=clip_norm, multipliers=multipliers.tolist(), delta=delta, rate=rate
    )
    return tuple(multipliers.tolist()), records
