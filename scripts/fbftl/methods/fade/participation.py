"""Who takes part in which round of FADE, and who declines adversarial training."""

from dataclasses import dataclass

import numpy as np

from fbftl.ground.randomness import stream
from fbftl.methods.fade.groups import Users
from fbftl.study.job import Job
from fbftl.training.batches import picked


def per_round(job: Job) -> int:
    """Return how many users a round picks at most: the setting's, or else the task's."""
    return int(job.setting.users_per_round or job.network_training.clients_per_round)


@dataclass(frozen=True)
class ParticipationSchedule:
    """Who takes part when, in one seed.

    users: (T, C) of each of T rounds.
    adversarial: (T, C) booleans, whether each trains the discriminator or declines.
    """

    users: np.ndarray
    adversarial: np.ndarray

    @property
    def most_participations(self) -> int:
        """In how many rounds that user takes part who does most often."""
        return int(np.bincount(self.users.ravel()).max())


def schedule_of(job: Job, users: Users, seed: int) -> ParticipationSchedule:
    """Return a seed's rounds: users by chance, or one each with group 0's preset probability."""
    setting, training, count = job.setting, job.network_training, len(users.rows)
    rounds, most = training.local_rounds, per_round(job)
    if setting.minority_participation is None:
        chosen = [picked(count, most, t, seed) for t in range(rounds)]
    else:
        sides = [np.flatnonzero((users.group == 0) == first) for first in (True, False)]
        draws = stream(seed, "participation").random((rounds, 2))
        of_first = draws[:, 0] < setting.minority_participation
        chosen = [
            side[[int(position * len(side))]]
            for first, position in zip(of_first, draws[:, 1], strict=True)
            for side in [sides[0] if first else sides[1]]
        ]
    taking_part = np.array(chosen)
    declines = stream(seed, "opt out").random(taking_part.shape) < setting.opt_out
    return ParticipationSchedule(taking_part, ~declines)
