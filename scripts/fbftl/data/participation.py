"""Who takes part: a setting's clients and their samples.

Rows are positions in the feature store's training split.
"""

from dataclasses import dataclass

import numpy as np

from fbftl.data.partition import deal
from fbftl.ground.randomness import stream
from fbftl.study.clients import taking_part
from fbftl.study.job import Job


def participating(client: np.ndarray, fraction: float, seed: int) -> np.ndarray:
    """Return the rows of a random fraction of the clients, at least one client's.

    Args:
        client: (n,) client of each row.
        fraction: share of clients that take part, in (0, 1].
        seed: the repetition's seed. A smaller fraction's clients are among a larger one's.

    Returns:
        Rows, ascending.
    """
    clients = np.unique(client)
    count = taking_part(len(clients), fraction)
    chosen = stream(seed, "participation").permutation(clients)[:count]
    return np.flatnonzero(np.isin(client, chosen))


def by_first_sample(
    client: np.ndarray, sample: np.ndarray
) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """Return clients in an order that does not hang on their numbers, but on what they hold.

    Args:
        client: (n,) client of each row.
        sample: (n,) number of each row's sample in the data set.

    Returns:
        The clients by the least of their samples' numbers; the rows of each, ascending; and these
        least numbers, from which whatever is drawn for one client is drawn.
    """
    owner, rows = grouped(np.arange(len(client)), client)
    first = np.array([sample[of_client].min() for of_client in rows])
    order = np.argsort(first)
    return owner[order], [rows[index] for index in order], first[order]


def at_most(rows: np.ndarray, client: np.ndarray, most: int | None, seed: int) -> np.ndarray:
    """Return rows of which every client keeps so many at most, chosen at random; None keeps all.

    Args:
        rows: (m,) ascending.
        client: (n,) client of each row of the task.
        most: samples of a client. Fewer are among those that more would be.
        seed: the repetition's seed.
    """
    if most is None:
        return rows
    owners, rows_by_client = grouped(rows, client)
    kept = [
        stream(seed, "most samples", int(owner)).permutation(client_rows)[:most]
        for owner, client_rows in zip(owners, rows_by_client, strict=True)
    ]
    return np.sort(np.concatenate(kept))


LEAST_HELD_OUT = 10
"""A validation split of fewer samples picks epochs by chance, so none is held out."""


def held_out(rows: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Split rows into training and validation, the share rounded down, none if too few.

    Args:
        rows: (m,) rows that the server has.
        share: share that is held out, in [0, 1).
        seed: the repetition's seed.

    Returns:
        Training rows and validation rows, each ascending.
    """
    order = stream(seed, "validation").permutation(len(rows))
    count = int(share * len(rows))
    if count < LEAST_HELD_OUT:
        count = 0
    is_held_out = np.zeros(len(rows), dtype=bool)
    is_held_out[order[:count]] = True
    return rows[~is_held_out], rows[is_held_out]


def grouped(rows: np.ndarray, client: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the clients that hold any of the rows, ascending, and the rows of each."""
    owners, counts = np.unique(client[rows], return_counts=True)
    order = np.argsort(client[rows], kind="stable")
    return owners, np.split(rows[order], np.cumsum(counts)[:-1])


@dataclass(frozen=True)
class Partition:
    """Who holds the samples in the task's own partition, and what partitions them anew.

    client: (n,) client of each sample.
    labels: (n,) their labels.
    domain: (n,) their domains, None if the task has one only.
    """

    client: np.ndarray
    labels: np.ndarray
    domain: np.ndarray | None = None


def clients_of(job: Job, samples: Partition, seed: int) -> np.ndarray:
    """Return the client of every sample under a setting, (n,), always inside the sample's domain.

    Args:
        job: a setting that says nothing of clients keeps the task's, unless the task has them
            dealt anew in every repetition (``draw: per_seed``).
        samples: those in the task's partition.
        seed: the repetition's seed.
    """
    per_seed = job.clients.get("draw") == "per_seed"
    if not per_seed and not job.dealing.overrides:
        return samples.client
    spec = job.dealing.spec
    return deal(samples.labels, spec, seed if per_seed else spec["seed"], samples.domain)


@dataclass(frozen=True, eq=False)
class Participants:
    """One seed's clients.

    client: (n,) client of each training sample.
    offered: rows of the clients that take part, ascending.
    """

    seed: int
    client: np.ndarray
    offered: np.ndarray


def participants_of(job: Job, samples: Partition, seed: int) -> Participants:
    """Return a seed's clients under a setting.

    Args:
        job: the setting.
        samples: those in the task's partition.
        seed: the repetition's seed.
    """
    client = clients_of(job, samples, seed)
    return Participants(seed, client, participating(client, job.setting.fraction, seed))
