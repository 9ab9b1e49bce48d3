"""Gaussian noise on a secure sum, all of it added by its dealer and keyed by who the sum is of."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fbftl.privacy.release import noise_seed
from fbftl.privacy.statistics import statistics_noise
from fbftl.study.job import Job


@dataclass(frozen=True)
class GaussianOnSums:
    """Gaussian noise of one standard deviation.

    std: of the noise on every number of a sum.
    seed_of: from the positions of clients to the seed of the noise on their sum.
    """

    std: float
    seed_of: Callable[[np.ndarray], int]

    def of(self, arrived: np.ndarray, count: int) -> np.ndarray:
        """Return the noise (count,), float64, on the sum of the clients at ascending positions."""
        return statistics_noise(self.std, count, self.seed_of(arrived))


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
