"""Partitions: which client holds which training sample.

Every sample goes to exactly one client and every client gets at least one. Where samples per
client K does not divide the number of samples n, there are ceil(n / K) clients and the last one
holds the remainder: no data is dropped.

==================  =====================================================================
``iid``             a random permutation, cut into clients
``shards``          samples sorted by label, cut into shards; each client gets
                    ``shards_per_client`` at random (McMahan et al., 2017, Sec. 3: 2)
``balanced_shards`` the same shards, dealt in turns of one shard of every class that is left, so
                    that the first few clients hold all classes (as in Split-Mix's public code,
                    which deals classes and cuts each into as many shares; here larger classes
                    have more shards, and the last turns lack the others)
``dirichlet``       each class is spread over the clients with shares drawn from
                    Dir(alpha) (Yurochkin et al., 2019): unequal sizes
``dirichlet_equal`` each client draws its own label distribution (Hsu et al., 2019) and K
                    samples from it: equal sizes
==================  =====================================================================
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.study.clients import by_domain


def deal(
    labels: np.ndarray, spec: Mapping[str, Any], seed: int, domain: np.ndarray | None = None
) -> np.ndarray:
    """Return the client of every sample, int32 [n], where a client sees one domain only.

    Clients are counted from 0, those of the first domain first.

    Args:
        labels: integer classes of the samples, [n].
        spec: the config block ``clients``: ``partition``, one of ``samples_per_client`` (K) and
            ``clients`` (U), and what the partition needs (``shards_per_client``, ``alpha``). Its
            ``clients`` are shared out equally over the domains.
        seed: seed of the draw.
        domain: domain of each sample, [n]; None if there is one only.

    Raises:
        UserError: on more clients, samples per client or shards than a domain has samples.
    """
    of_domain = np.zeros(len(labels), dtype=np.int8) if domain is None else domain
    client = np.empty(len(labels), dtype=np.int32)
    first = 0
    for index, (_, domain_spec) in enumerate(by_domain(len(labels), spec)):
        rows = np.flatnonzero(of_domain == index)
        keys = () if domain is None else (index,)
        dealt = _dealt(labels[rows], domain_spec, stream(seed, "partition", *keys))
        client[rows] = first + dealt
        first += int(dealt.max()) + 1
    return client


def _dealt(labels: np.ndarray, spec: Mapping[str, Any], rng: np.random.Generator) -> np.ndarray:
    """Return the client of every sample of one domain, int32 [n], clients counted from 0."""
    sizes = client_sizes(len(labels), spec)
    match spec["partition"]:
        case "iid":
            client = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
        case "shards":
            shard = _shard_of_each(labels, len(sizes), spec["shards_per_client"], rng)
            owner = np.repeat(np.arange(len(sizes)), spec["shards_per_client"])
            client = rng.permutation(owner)[shard]
        case "balanced_shards":
            client = _balanced_shards(labels, len(sizes), spec["shards_per_client"], rng)
        case "dirichlet":
            client = _dirichlet(labels, len(sizes), spec["alpha"], rng)
        case "dirichlet_equal":
            client = _dirichlet_equal(labels, sizes, spec["alpha"], rng)
    return client.astype(np.int32)


def client_sizes(samples: int, spec: Mapping[str, Any]) -> np.ndarray:
    """Return K_u of every client, int64 [U], from ``samples_per_client`` or ``clients``.

    With ``clients`` the sizes differ by one at most; with ``samples_per_client`` they are equal
    but for the last client's remainder.

    Raises:
        UserError: if that is more than there are samples.
    """
    key = "samples_per_client" if spec.get("clients") is None else "clients"
    value = spec[key]
    if not 1 <= value <= samples:
        raise UserError(
            f"clients.{key} is {value}, but there are {samples} training samples; "
            f"choose a number from 1 to {samples}"
        )
    if key == "clients":
        return np.bincount(np.arange(samples) % value)
    sizes = np.full(math.ceil(samples / value), value)
    sizes[-1] = samples - value * (len(sizes) - 1)
    return sizes


def members(client: np.ndarray) -> list[np.ndarray]:
    """Return each client's samples, in rising order, from the client of every sample."""
    borders = np.cumsum(np.bincount(client))[:-1]
    return np.split(np.argsort(client, kind="stable"), borders)


def _balanced_shards(
    labels: np.ndarray, clients: int, shards_per_client: int, rng: np.random.Generator
) -> np.ndarray:
    """Deal shards in turns: each has one of every class that is left, in random order."""
    shard = _shard_of_each(labels, clients, shards_per_client, rng)
    sizes = np.bincount(shard)
    # A shard that lies across two classes counts for that of its middle.
    class_of_shard = np.sort(labels)[np.cumsum(sizes) - sizes + sizes // 2]
    turn = np.empty(len(sizes), dtype=np.int64)
    for label in np.unique(class_of_shard):
        of_class = np.flatnonzero(class_of_shard == label)
        turn[of_class] = rng.permutation(len(of_class))
    owner = np.empty(len(sizes), dtype=np.int64)
    dealt = np.lexsort((rng.permutation(len(sizes)), turn))
    owner[dealt] = np.repeat(np.arange(clients), shards_per_client)
    return owner[shard]


def _shard_of_each(
    labels: np.ndarray, clients: int, shards_per_client: int, rng: np.random.Generator
) -> np.ndarray:
    """Return the shard of every sample, [n], numbered in the order of the labels."""
    shards = clients * shards_per_client
    if shards > len(labels):
        raise UserError(
            f"clients.shards_per_client is {shards_per_client}: {clients} clients would need "
            f"{shards} shards of {len(labels)} samples; choose fewer shards or fewer clients"
        )
    # Equal labels in random order, so that a class's shards do not follow the data set's order.
    by_label = np.lexsort((rng.permutation(len(labels)), labels))
    shard = np.empty(len(labels), dtype=np.int64)
    shard[by_label] = np.sort(np.arange(len(labels)) % shards)
    return shard


def _dirichlet(
    labels: np.ndarray, clients: int, alpha: float, rng: np.random.Generator
) -> np.ndarray:
    client = np.empty(len(labels), dtype=np.int64)
    for label in np.unique(labels):
        rows = rng.permutation(np.flatnonzero(labels == label))
        shares = rng.dirichlet(np.full(clients, alpha))
        counts = rng.multinomial(len(rows), shares)
        client[rows] = np.repeat(np.arange(clients), counts)
    # Who has no sample gets one of the largest client's: to draw anew until nobody is empty, as
    # common code does, never ends for many clients at a small alpha.
    counts = np.bincount(client, minlength=clients)
    for empty in np.flatnonzero(counts == 0):
        donor = counts.argmax()
        client[rng.choice(np.flatnonzero(client == donor))] = empty
        counts[donor] -= 1
    return client


def _dirichlet_equal(
    labels: np.ndarray, sizes: np.ndarray, alpha: float, rng: np.random.Generator
) -> np.ndarray:
    """Draw each client's label distribution from Dir(alpha N p), p the data's own of N classes.

    With balanced classes that is the symmetric Dir(alpha). A client draws without replacement;
    where its classes run out, it goes on with what is left, so that the last clients' labels
    follow the leftovers. Sizes are dealt to the clients in the order given.
    """
    classes, label, left = np.unique(labels, return_inverse=True, return_counts=True)
    concentration = alpha * len(classes) * left / len(labels)
    sampled = np.zeros((len(sizes), len(classes)), dtype=np.int64)
    for u, size in enumerate(sizes):
        wish = rng.dirichlet(concentration)
        while (missing := size - sampled[u].sum()) > 0:
            shares = np.where(left > 0, wish, 0.0)
            if shares.sum() == 0:
                shares = left.astype(float)
            counts = np.minimum(rng.multinomial(missing, shares / shares.sum()), left)
            sampled[u] += counts
            left -= counts
    client = np.empty(len(labels), dtype=np.int64)
    for position in range(len(classes)):
        rows = rng.permutation(np.flatnonzero(label == position))
        client[rows] = np.repeat(np.arange(len(sizes)), sampled[:, position])
    return client
