"""Clients that cannot be dealt: contradictions in a task's block, in a setting, and in counts.

Refused before any job.
"""

from collections.abc import Mapping
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study.clients import by_domain, partition_of, partition_overrides

OF_ALPHA = ("dirichlet", "dirichlet_equal")
"""Partitions that alpha is for."""

OF_SHARDS = ("shards", "balanced_shards")
"""Partitions that shards per client are for."""


def require_clients(task: str, clients: Mapping[str, Any]) -> None:
    """Refuse a task's block `clients` whose keys contradict each other.

    Args:
        task: the task's name.
        clients: its block.

    Raises:
        UserError: naming key and remedy.
    """
    where = f"config: tasks.{task}.clients"
    named = clients["partition"] == "given"
    per_seed = clients.get("draw") == "per_seed"
    domains = [_steps(domain) for domain in clients.get("domains") or []]
    groups = clients.get("groups")
    _require_one_size(where, clients)
    faults = {
        "draws clients per_seed that the data names; give draw: once, or another partition": (
            named and per_seed
        ),
        "gives domains to clients that the data names; choose another partition": (
            named and bool(domains)
        ),
        "lists a domain twice; remove one": len(set(domains)) < len(domains),
        "draws clients per_seed, whose domain is shifted for each client once; give draw: once": (
            per_seed and _of_clients(domains)
        ),
        f"gives {len(groups or [])} groups to {len(domains)} domains; give each domain's": (
            groups is not None and len(groups) != len(domains)
        ),
    }
    for fault, holds in faults.items():
        if holds:
            raise UserError(f"{where} {fault}")


def require_dealt(task: str, clients: Mapping[str, Any], setting: Any) -> None:
    """Refuse a setting whose clients a task cannot deal.

    Args:
        task: the task's name.
        clients: its block `clients`.
        setting: what an experiment asks for.

    Raises:
        UserError: naming task, setting and remedy.
    """
    overrides = partition_overrides(setting)
    if not overrides:
        return
    spec = partition_of(clients, setting)
    faults = {
        "names alpha, which is for the partitions dirichlet and dirichlet_equal": (
            "alpha" in overrides and spec["partition"] not in OF_ALPHA
        ),
        "deals samples anew whose clients the data names; give a partition too": (
            spec["partition"] == "given"
        ),
        "deals samples anew that are shifted for the client that holds them; leave "
        f"{', '.join(overrides)} out": _of_clients(
            [_steps(domain) for domain in clients.get("domains") or []]
        ),
    }
    for fault, holds in faults.items():
        if holds:
            raise UserError(f"config: the setting '{setting.name}' on {task} {fault}")


def require_enough(path: str, clients: Mapping[str, Any], samples: int) -> None:
    """Refuse more clients, samples per client, shards or domains than there are samples.

    Args:
        path: where the keys are, with braces for the key: ``tasks.digits.clients.{}``.
        clients: a task's block `clients`, or that of a setting.
        samples: training samples.

    Raises:
        UserError: naming key, value and what is possible.
    """
    if clients["partition"] == "given":
        return
    domains = len(clients.get("domains") or ())
    possible = samples if clients["clients"] is None else min(samples, clients["clients"])
    if domains > possible:
        raise UserError(
            f"config: {path.format('domains')} lists {domains} for {possible} "
            f"{'samples' if possible == samples else 'clients'}; list fewer, or give more"
        )
    inside = f" in one of {domains} domains" if domains else ""
    for count, block in by_domain(samples, clients):
        key = "samples_per_client" if block["clients"] is None else "clients"
        if block[key] > count:
            raise UserError(
                f"config: {path.format(key)} is {block[key]}{inside}, but there are {count} "
                f"training samples; give at most {count}"
            )
        number, each = (
            block["clients"] or -(-count // block[key]),
            clients.get("shards_per_client", 1),
        )
        if clients["partition"] in OF_SHARDS and number * each > count:
            raise UserError(
                f"config: {path.format('shards_per_client')} is {each}{inside}: {number} clients "
                f"would need {number * each} shards of {count} training samples; give fewer "
                "shards or fewer clients"
            )


def _require_one_size(where: str, clients: Mapping[str, Any]) -> None:
    if clients["partition"] == "given":
        return
    number, size = clients["clients"], clients["samples_per_client"]
    if number is not None and size is not None:
        raise UserError(
            f"{where} gives clients {number} and samples_per_client {size}, which follow from each "
            "other; set one of them to null"
        )
    if number is None and size is None:
        raise UserError(f"{where} gives neither clients nor samples_per_client; give one")


def _steps(domain: str | list[str]) -> tuple[str, ...]:
    return (domain,) if isinstance(domain, str) else tuple(domain)


def _of_clients(domains: list[tuple[str, ...]]) -> bool:
    """Tell whether some domain's images differ from client to client."""
    return any("shifted" in domain for domain in domains)
