"""Users of one group each, whatever the kind of task: who holds what, and how users are judged.

Groups are known here and to the users themselves, each its own. Users are numbered in an order of
the seed's own, so that a number says nothing of a group.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fbftl.data.clients import ClientFile
from fbftl.data.participation import clients_of, grouped
from fbftl.ground.errors import UserError, required
from fbftl.ground.randomness import stream
from fbftl.learners.local import local_network
from fbftl.study.job import Job
from fbftl.tasks.task import ClientSamples, Inputs, Repetition, client_samples
from fbftl.training.local_updates import SplitModel
from fbftl.training.samples import TrainingData


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
        """Return a seed's users: the task's clients, or one of group 0 and so many of each other.

        Raises:
            UserError: if a client has samples of two groups, or there are more users than samples.
        """
        most = job.setting.majority_users
        if most is None:
            client = clients_of(job, self.samples.partition, seed)
        else:
            client = _dealt(self.train, most, seed)
        owners, rows = grouped(np.arange(len(client)), client)
        groups_of_user = [np.unique(self.train[user_rows]) for user_rows in rows]
        for owner, groups in zip(owners, groups_of_user, strict=True):
            if len(groups) > 1:
                raise UserError(
                    f"client {owner} of {job.task} has samples of {len(groups)} groups, and fade "
                    "needs users of one; give majority_users, or clients that are of one group"
                )
        return Users(rows, owners, np.concatenate(groups_of_user))

    def network(self, job: Job, seed: int, users: Users) -> tuple[SplitModel, TrainingData]:
        """Return a seed's network at its start, up to z and after it, and what it trains on."""
        repetition = Repetition(job, seed, users.rows, np.zeros(0, dtype=np.int64))
        return local_network(
            self.samples,
            repetition,
            of=lambda split_model, training_data, *_: (split_model, training_data),
        )


def _dealt(group: np.ndarray, most: int, seed: int) -> np.ndarray:
    """Return the user of every sample (n,): one of group 0, `most` of each other group."""
    sizes = [1 if g == 0 else most for g in range(int(group.max()) + 1)]
    numbers = stream(seed, "user numbers").permutation(sum(sizes))
    client, first = np.empty(len(group), dtype=np.int64), 0
    for g, users in enumerate(sizes):
        rows = stream(seed, "partition", g).permutation(np.flatnonzero(group == g))
        if len(rows) < users:
            raise UserError(
                f"group {g} has {len(rows)} samples for {users} users; give majority_users at most "
                f"{len(rows)}"
            )
        client[rows] = numbers[first + np.arange(len(rows)) % users]
        first += users
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
