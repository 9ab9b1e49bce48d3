"""A task's clients as a setting wants them: what is dealt, and how many clients that makes.

Counts alone; `fbftl.data.partition` deals.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PARTITION_AXES = ("partition", "alpha", "clients", "samples_per_client")
"""Axes with which a setting has the task's samples dealt anew."""


@dataclass(frozen=True)
class Dealing:
    """How samples are dealt to clients.

    spec: the block `clients` of a task with a setting's axes in the place of its own.
    overrides: these axes; without any, the task's own clients stay.
    """

    spec: Mapping[str, Any]
    overrides: Mapping[str, Any]

    @classmethod
    def of(cls, clients: Mapping[str, Any], setting: Any = None) -> "Dealing":
        """Resolve a task's block `clients` for a setting, without one for the task itself.

        A number of clients replaces the task's samples per client, and the other way round.
        """
        named = {axis: getattr(setting, axis, None) for axis in PARTITION_AXES}
        overrides = {axis: value for axis, value in named.items() if value is not None}
        sized = "clients" in overrides or "samples_per_client" in overrides
        sizes = {"clients": None, "samples_per_client": None} if sized else {}
        return cls(dict(clients) | sizes | overrides, overrides)

    @property
    def given(self) -> bool:
        """Whether the data names the clients."""
        return self.spec["partition"] == "given"

    def clients(self, samples: int | None, named: int | None = None) -> int | None:
        """Return the number of clients U, or None if only the data decides it.

        Args:
            samples: training samples, None if unknown.
            named: clients that the data names, None if unknown.
        """
        if self.given:
            return named
        if self.spec["clients"] is not None or samples is None:
            return self.spec["clients"]
        size = self.spec["samples_per_client"]
        return sum(math.ceil(count / size) for count, _ in by_domain(samples, self.spec))


def domains_in(spec: Sequence[str | Sequence[str]] | None) -> tuple[tuple[str, ...], ...]:
    """Return the changes of the images in each domain, in turn; nothing without domains.

    Args:
        spec: what the key ``domains`` of a block of clients or of public samples lists.
    """
    return tuple((steps,) if isinstance(steps, str) else tuple(steps) for steps in spec or ())


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
