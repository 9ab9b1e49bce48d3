"""Gaussian noise on a secure sum: all of it by the dealer, or a share of it by each client.

The dealer's noise is keyed by whose messages a sum is of, a client's share by whose it was planned
to be of, since a client sends before it is known who arrives. Shares are discrete Gaussians of
whole steps (`privacy/discrete_noise.py`), of a variance that is the planned one over the clients
that were asked, so that a sum of fewer has less noise.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Protocol

import numpy as np

from fbftl.ground.randomness import stream
from fbftl.ground.ring import Ring
from fbftl.privacy.discrete_noise import discrete_gaussian, require_steps
from fbftl.privacy.statistics import statistics_noise
from fbftl.study.job import Job
from fbftl.study.release import noise_seed


class SumNoise(Protocol):
    """Noise on sums; positions are of clients, ascending."""

    def whole(self, arrived: np.ndarray, count: int) -> np.ndarray:
        """Return all the noise (count,) on the sum of those whose messages arrived."""

    def share(self, position: int, planned: np.ndarray, count: int, ring: Ring) -> np.ndarray:
        """Return what one client of those planned adds, (count,) int64 in steps of the ring."""


@dataclass(frozen=True)
class GaussianOnSums:
    """Gaussian noise of one standard deviation.

    std: of the noise on a sum of all that were asked.
    seed_of: from the positions of clients to the seed of the noise on their sum.
    """

    std: float
    seed_of: Callable[[np.ndarray], int]

    def whole(self, arrived: np.ndarray, count: int) -> np.ndarray:
        """Return the dealer's noise (count,), float64."""
        return statistics_noise(self.std, count, self.seed_of(arrived))

    def share(self, position: int, planned: np.ndarray, count: int, ring: Ring) -> np.ndarray:
        """Return a client's share (count,), int64.

        Raises:
            UserError: if it has too few steps to be of any use.
        """
        steps = self.std * 2.0**ring.fraction_bits / sqrt(len(planned))
        require_steps(steps)
        draws = stream(self.seed_of(planned), "noise_share", position)
        return discrete_gaussian(steps, count, draws)


def noise_on_sums(
    job: Job,
    seed: int,
    std: float | None,
    owner: np.ndarray,
    partition: tuple[np.ndarray, np.ndarray],
) -> GaussianOnSums | None:
    """Return the noise on sums, each of which has its own by the clients that it is of.

    Args:
        job: the setting with its training values.
        seed: the repetition's seed.
        std: standard deviation of the noise; None for no noise.
        owner: (U,) ids of the clients by their positions.
        partition: (n,) client and number of each sample.
    """
    if not std:
        return None
    return GaussianOnSums(std, lambda places: noise_seed(job, seed, owner[places], *partition))
