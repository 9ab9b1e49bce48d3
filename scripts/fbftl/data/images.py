"""Who holds which samples of a data set with classes: clients, and a server with the test split."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fbftl.data.clients import SERVER, Client
from fbftl.data.datasets import load
from fbftl.data.datasets.base import Dataset, Samples, digest
from fbftl.data.domains import Domain, Origin, Seen, assigned_domains, is_of_client, name_of
from fbftl.data.partition import deal, members
from fbftl.ground.errors import UserError
from fbftl.study.clients import domains_in


def dealt_out(
    data: Mapping[str, Any], clients: Mapping[str, Any], data_folder: str | None, seed: int
) -> tuple[dict[str, Iterable[Client]], dict[str, str]]:
    """Return the clients of each split, and what the client file says of the data set.

    Args:
        data: config block ``data`` of the task.
        clients: config block ``clients`` of the task.
        data_folder: where the data's relative file names start.
        seed: seed of the partition and of the domains.
    """
    dataset = load(data, data_folder)
    attributes = {"classes": json.dumps(dataset.classes), "dataset": digest(dataset)}
    if domains := domains_in(clients.get("domains")):
        attributes["domains"] = json.dumps([name_of(domain) for domain in domains])
    splits = zip(("train", "test"), splits_of(dataset, clients, seed), strict=True)
    return {name: Holders(name, split, clients, seed) for name, split in splits}, attributes


@dataclass(frozen=True)
class Split:
    """Who holds which samples of a split.

    samples: of the data set, n.
    client: place in `ids` of each sample's client, [n].
    ids: the clients by number; of the test split some may hold nothing.
    domain: domain of each sample, [n]; None if there is one only.
    """

    samples: Samples
    client: np.ndarray
    ids: Sequence[str]
    domain: np.ndarray | None = None


@dataclass(frozen=True)
class Holders:
    """Each client of a split that holds samples, with them; so many that each is made in its turn.

    name: ``train`` or ``test``.
    clients: config block ``clients`` of the task.
    seed: of the domains.
    """

    name: str
    split: Split
    clients: Mapping[str, Any]
    seed: int

    def __iter__(self) -> Iterator[Client]:
        rows_by_client = zip(self.split.ids, members(self.split.client), strict=False)
        for number, (client_id, rows) in enumerate(rows_by_client):
            if not len(rows):
                continue
            samples = self.split.samples.take(rows)
            arrays = {"pixels": samples.inputs, "label": samples.labels}
            client = Client(client_id, rows, arrays, samples.groups)
            if self.split.domain is None:
                yield client
            else:
                origin = Origin(self.name, rows, number, self.seed)
                yield seen(client, self.split.domain[rows], self.clients, origin)


def seen(client: Client, domain: np.ndarray, clients: Mapping[str, Any], origin: Origin) -> Client:
    """Return a client with its samples as it sees them, their domains, and their groups."""
    pixels = Seen(client.arrays["pixels"], domains_in(clients["domains"]), domain, origin)
    arrays = {**client.arrays, "pixels": pixels, "domain": domain}
    groups = clients.get("groups")
    group = None if groups is None else np.array(groups, dtype=np.int64)[domain]
    return Client(client.id, client.sample, arrays, group)


def splits_of(dataset: Dataset, clients: Mapping[str, Any], seed: int) -> tuple[Split, Split]:
    """Return who holds which training and test samples."""
    if domains := domains_in(clients.get("domains")):
        return partitioned_by_domain(dataset, domains, clients, seed)
    if clients["partition"] == "given":
        return partition_of_data(dataset.train), partition_of_data(dataset.test)
    of_server = np.zeros(len(dataset.test), dtype=np.int64)
    return partitioned(dataset.train, clients, seed), Split(dataset.test, of_server, [SERVER])


def partition_of_data(samples: Samples) -> Split:
    """Return a split as the data itself deals it."""
    ids, client = np.unique(samples.owners, return_inverse=True)
    return Split(samples, client, ids.tolist())


def partitioned(
    samples: Samples, clients: Mapping[str, Any], seed: int, domain: np.ndarray | None = None
) -> Split:
    """Return the training split; clients are numbered with leading zeros."""
    client = deal(samples.labels, clients, seed, domain)
    count = int(client.max()) + 1
    return Split(samples, client, [f"{u:0{len(str(count - 1))}}" for u in range(count)], domain)


def partitioned_by_domain(
    dataset: Dataset, domains: Sequence[Domain], clients: Mapping[str, Any], seed: int
) -> tuple[Split, Split]:
    """Return training and test split of a task with domains.

    Test samples are the server's, but for domains that are each client's own: theirs are dealt to
    the clients in turn.

    Raises:
        UserError: if one of these clients would get none.
    """
    of_train, of_test = (
        assigned_domains(len(samples), len(domains), seed, name) for name, samples in dataset
    )
    train = partitioned(dataset.train, clients, seed, of_train)
    client = np.full(len(of_test), len(train.ids))
    for index, domain in enumerate(domains):
        if is_of_client(domain):
            rows = np.flatnonzero(of_test == index)
            clients_of_domain = np.unique(train.client[of_train == index])
            if len(rows) < len(clients_of_domain):
                raise UserError(
                    f"the domain {name_of(domain)} has {len(clients_of_domain)} clients and "
                    f"{len(rows)} test samples, and each client needs one; give fewer clients or "
                    "more samples"
                )
            client[rows] = np.resize(clients_of_domain, len(rows))
    return train, Split(dataset.test, client, [*train.ids, SERVER], of_test)
