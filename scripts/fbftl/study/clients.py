"""A task's clients as a setting wants them: what is dealt, and how many clients that makes.

Counts alone; `fbftl.data.partition` deals.
"""

import math
from collections.abc import Mapping
from typing import Any

PARTITION_AXES = ("partition", "alpha", "clients", "samples_per_client")
"""Axes with which a setting has the task's samples dealt anew."""


def partition_overrides(setting: Any) -> dict[str, Any]:
    """Return what a setting says of its clients, by axis; nothing keeps the task's own."""
    named = {axis: getattr(setting, axis, None) for axis in PARTITION_AXES}
    return {axis: value for axis, value in named.items() if value is not None}


def partition_of(clients: Mapping[str, Any], setting: Any) -> dict[str, Any]:
    """Return the block `clients` of a task with a setting's axes in the place of its own.

    A number of clients replaces the task's samples per client, and the other way round.
    """
    overrides = partition_overrides(setting)
    sized = "clients" in overrides or "samples_per_client" in overrides
    sizes = {"clients": None, "samples_per_client": None} if sized else {}
    return dict(clients) | sizes | overrides


def by_domain(samples: int, clients: Mapping[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Return the samples of each domain and the block that deals them, alike for all without any.

    Samples are shared out equally, and so are `clients`; the first domains get one more of either
    where it does not come out even.
    """
    domains = max(1, len(clients.get("domains") or ()))

    def share(whole: int, index: int) -> int:
        return whole // domains + (index < whole % domains)

    whole = clients.get("clients")
    return [
        (share(samples, index), dict(clients) | {"clients": whole and share(whole, index)})
        for index in range(domains)
    ]


def taking_part(clients: int, fraction: float) -> int:
    """Return how many of the clients take part: a fraction of them, at least one."""
    return max(1, round(fraction * clients))


def number_of_clients(clients: Mapping[str, Any], samples: int | None) -> int | None:
    """Return the number of clients U that a block `clients` makes, or None if the data decides it.

    Args:
        clients: the block.
        samples: training samples, None if unknown.
    """
    if clients["partition"] == "given":
        return None
    if clients["clients"] is not None:
        return clients["clients"]
    if samples is None:
        return None
    size = clients["samples_per_client"]
    return sum(math.ceil(count / size) for count, _ in by_domain(samples, clients))
