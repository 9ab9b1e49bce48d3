"""DP-FedAvg with few clients in a round: what runs is the release that its guarantee charges."""

import numpy as np
import pytest
from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent
from dp_accounting.pld import PLDAccountant
from fbftl.attacks.audits.mechanism import job_of, knowing
from fbftl.exchange.post import Receipt
from fbftl.exchange.protection import protection_by_rounds, round_noise
from fbftl.study.job import Job
from fbftl.study.methods import axes_by_method
from scipy.stats import kstest, norm

CLIENTS, TAKING_PART, ROUNDS, SEEDS = 128, 32, 2, 60
RATE = TAKING_PART / CLIENTS
CLIP, EPSILON, DELTA = 1.5, 4.0, 1e-5


@pytest.fixture(scope="module")
def job() -> Job:
    with knowing(axes_by_method()):
        return job_of(
            "ftl_c", clients_per_round=TAKING_PART, rounds=ROUNDS, privacy={"update_clip": CLIP},
            mechanism="dp_fedavg", epsilon=EPSILON,
        )  # fmt: skip


def std_of(job: Job) -> float:
    return round_noise(job, RATE, ROUNDS, CLIP).multipliers[0] * CLIP


def sums(job: Job, seed: int) -> np.ndarray:
    """Each client's number in the noisy sum of every round, (rounds, clients).

    A client moves a number of its own, ten times as far as the clip norm; every second one is not
    there.
    """
    rows = [np.array([client]) for client in range(CLIENTS)]
    protected = protection_by_rounds(job, rows, seed, ())
    moves = np.diag(np.full(CLIENTS, 10 * CLIP)).astype(np.float32)
    of_rounds = []
    for rounds in protected.schedule:
        for round_ in rounds.single(len(of_rounds)):
            there = round_.clients[round_.clients % 2 == 0]
            sent = protected.releasing(round_, moves[round_.clients]).values
            arrived = np.isin(round_.clients, there)
            receipt = Receipt(round_.clients, round_.number, arrived, sent)
            of_rounds.append(protected.averaging(round_, receipt) * RATE * CLIENTS)
    return np.stack(of_rounds)


def test_a_client_is_in_a_round_as_often_and_under_as_much_noise_as_is_charged(job):
    drawn = np.stack([sums(job, seed) for seed in range(SEEDS)])
    assert drawn.shape == (SEEDS, ROUNDS, CLIENTS)
    there, absent = drawn[..., ::2].ravel(), drawn[..., 1::2].ravel()
    std = std_of(job)

    def mixture(numbers: np.ndarray) -> np.ndarray:
        return (1 - RATE) * norm.cdf(numbers, 0, std) + RATE * norm.cdf(numbers, CLIP, std)

    assert kstest(there, mixture).pvalue > 1e-3
    assert kstest(absent, norm(0, std).cdf).pvalue > 1e-3
    # Neither everyone in every round nor halved noise would pass.
    assert kstest(there, norm(CLIP, std).cdf).pvalue < 1e-6
    assert kstest(absent, norm(0, std / 2).cdf).pvalue < 1e-6


def test_the_library_charges_epsilon_for_it(job):
    event = PoissonSampledDpEvent(RATE, GaussianDpEvent(std_of(job) / CLIP))
    accountant = PLDAccountant().compose(SelfComposedDpEvent(event, ROUNDS))
    assert accountant.get_epsilon(DELTA) == pytest.approx(EPSILON, rel=2e-3)
