"""Users of one group each: who holds what, who takes part when, and what is lost on their samples.

Groups are known here and to the users themselves, each its own. Users are numbered in an order of
the seed's own, so that a number says nothing of a group.

The loss of the task that is measured on these users is over the users who have labels, that of the
game over all users of a group. Both are plain cross-entropies, whatever the game is played for, so
that games can be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fbftl.data.clients import ClientFile
from fbftl.data.participation import clients_of, grouped
from fbftl.ground.errors import UserError, required
from fbftl.ground.randomness import stream
from fbftl.study.job import Job
from fbftl.training.batches import picked
from fbftl.training.tasks.task import ClientSamples, Inputs, client_samples


@dataclass(frozen=True)
class Users:
    """Who takes part in one seed's training.

    rows: training rows of each of the U users.
    owners: (U,) client ids of the ledger.
    group: (U,) of each.
    """

    rows: Sequence[np.ndarray]
    owners: np.ndarray
    group: np.ndarray


@dataclass(frozen=True)
class GroupedClients:
    """What users hold, and the groups that they are judged by.

    samples: as the kind of task holds them.
    train: (n,) group of each training sample.
    test: (m,) group of each test sample.
    """

    samples: ClientSamples
    train: np.ndarray
    test: np.ndarray

    @property
    def groups(self) -> int:
        """Number of groups E."""
        return int(self.train.max()) + 1

    def users(self, job: Job, seed: int) -> Users:
        """Return a seed's users: the task's clients, or so many of group 0 and of each other.

        Raises:
            UserError: if a client has samples of two groups, or there are more users than samples.
        """
        most = job.setting.majority_users
        if most is not None:
            width, ranges = job.setting.majority_classes, None
            if width is not None:
                labels = self.samples.samples.labels.cpu().numpy()
                ranges = Ranges(labels, self.samples.classes, width)
            client = dealt(self.train, (job.setting.minority_users, most), seed, ranges)
        else:
            client = clients_of(job, self.samples.partition, seed)
        owners, rows = grouped(np.flatnonzero(client >= 0), client)
        groups_of_user = [np.unique(self.train[user_rows]) for user_rows in rows]
        for owner, groups in zip(owners, groups_of_user, strict=True):
            if len(groups) > 1:
                raise UserError(
                    f"client {owner} of {job.task} has samples of {len(groups)} groups, and fade "
                    "needs users of one; give majority_users, or clients that are of one group"
                )
        return Users(rows, owners, np.concatenate(groups_of_user))


@dataclass(frozen=True)
class Ranges:
    """Ranges of classes that overlap and wrap around, one for each user of a group (Sec. 3.5.2).

    labels: (n,) of all training samples.
    classes: number of classes N.
    width: classes of a user.
    """

    labels: np.ndarray
    classes: int
    width: int

    def user_of(self, rows: np.ndarray, users: int) -> np.ndarray:
        """Return the user (m,) of rows (m,) in random order.

        The classes of user u begin at u N / users, rounded down. The samples of a class are dealt
        in turn among the users who hold it; a class that nobody holds is nobody's, -1.
        """
        user = np.full(len(rows), -1, dtype=np.int64)
        first = np.arange(users) * self.classes // users
        for label in range(self.classes):
            holders = np.flatnonzero((label - first) % self.classes < self.width)
            here = np.flatnonzero(self.labels[rows] == label)
            if len(holders):
                user[here] = holders[np.arange(len(here)) % len(holders)]
        return user


def dealt(
    group: np.ndarray, users: tuple[int, int], seed: int, ranges: Ranges | None = None
) -> np.ndarray:
    """Return the user of every sample (n,), -1 for nobody's.

    Args:
        group: (n,) of each sample.
        users: of group 0, and of each other group.
        seed: by which samples are dealt and users are numbered.
        ranges: of classes that users of other groups hold; None for all classes.

    Raises:
        UserError: if a user has no sample.
    """
    sizes = [users[0] if g == 0 else users[1] for g in range(int(group.max()) + 1)]
    numbers = stream(seed, "user numbers").permutation(sum(sizes))
    client, first = np.full(len(group), -1, dtype=np.int64), 0
    for g, count in enumerate(sizes):
        rows = stream(seed, "partition", g).permutation(np.flatnonzero(group == g))
        if len(rows) < count:
            raise UserError(
                f"group {g} has {len(rows)} samples for {count} users; give "
                f"{'minority_users' if g == 0 else 'majority_users'} at most {len(rows)}"
            )
        whose = np.arange(len(rows)) % count
        if ranges is not None and g > 0:
            whose = ranges.user_of(rows, count)
            empty = np.flatnonzero(np.bincount(whose[whose >= 0], minlength=count) == 0)
            if len(empty):
                raise UserError(
                    f"a user of group {g} has no sample of its {ranges.width} classes; give more "
                    "majority_classes"
                )
        client[rows] = np.where(whose < 0, -1, numbers[first + whose])
        first += count
    return client


def grouped_clients(job: Job, inputs: Inputs) -> GroupedClients:
    """Return what the clients of a job's task hold, with their groups.

    Raises:
        UserError: if the task has no groups, or one of them nobody.
    """
    with ClientFile(required(inputs.clients)) as file:
        train, test = file.groups("train"), file.groups("test")
    if train is None or test is None:
        raise UserError(
            f"task {job.task} has no groups; give data.group_column, clients.groups, or data of "
            "kind groups"
        )
    count = max(int(train.max()), int(test.max())) + 1
    for split, groups in (("train", train), ("test", test)):
        empty = np.flatnonzero(np.bincount(groups, minlength=count) == 0)
        if count < 2 or len(empty):
            raise UserError(
                f"task {job.task} has nobody of group {min([*empty, 1])} in its {split} samples; "
                "give samples of at least two groups, counted from 0, in training and test"
            )
    return GroupedClients(client_samples(job, inputs), train, test)


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
