"""Samples that cannot be dealt to clients as a task or a setting wants it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fbftl.study.clients import Dealing, by_domain, domains_in

OF_ALPHA = ("dirichlet", "dirichlet_equal")
"""Partitions that alpha is for."""

OF_SHARDS = ("shards", "balanced_shards")
"""Partitions that shards per client are for."""


@dataclass(frozen=True)
class Dealt:
    """What clients of a setting hold, as far as it is known before any job.

    samples: training samples of the task; None if unknown.
    clients: their number; None if unknown.
    public: rows of the task's public sources; None if unknown.
    classes: that there are; None if unknown.
    width: numbers of a feature; None if unknown.
    """

    dealing: Dealing
    samples: int | None
    clients: int | None
    public: int | None = None
    classes: int | None = None
    width: int | None = None


def dealing_faults(clients: Mapping[str, Any], dealing: Dealing) -> Iterator[str]:
    """Yield why a task cannot deal its samples anew for a setting, each with its remedy."""
    overrides = dealing.overrides
    if "alpha" in overrides and dealing.spec["partition"] not in OF_ALPHA:
        yield "alpha is for the partitions dirichlet and dirichlet_equal: leave it out"
    if overrides and dealing.given:
        yield "the data names the clients whose samples it deals anew: give a partition too"
    if overrides and any("shifted" in domain for domain in domains_in(clients.get("domains"))):
        yield (
            "samples are dealt anew that are shifted for the client that holds them: leave "
            f"{', '.join(overrides)} out"
        )


def too_few_faults(
    dealing: Dealing, samples: int | None, classes: int | None = None
) -> Iterator[str]:
    """Yield what samples and classes are too few for, each with what is possible."""
    spec, each = dealing.spec, dealing.spec.get("shards_per_client", 1)
    by_shards = spec["partition"] in OF_SHARDS
    if by_shards and classes is not None and each > classes:
        yield (
            f"has shards_per_client {each}, a class each, but there are {classes} classes; give at "
            f"most {classes}"
        )
    if samples is None or dealing.given:
        return
    domains = len(domains_in(spec.get("domains")))
    possible = samples if spec["clients"] is None else min(samples, spec["clients"])
    if domains > possible:
        what = "samples" if possible == samples else "clients"
        yield f"has {domains} domains for {possible} {what}; list fewer, or give more"
        return
    inside = f" in one of {domains} domains" if domains else ""
    for count, block in by_domain(samples, spec):
        key = "samples_per_client" if block["clients"] is None else "clients"
        if block[key] > count:
            yield (
                f"has {key} {block[key]}{inside}, but there are {count} training samples; give at "
                f"most {count}"
            )
        number = block["clients"] or -(-count // block[key])
        if by_shards and number * each > count:
            yield (
                f"has shards_per_client {each}{inside}: {number} clients would need "
                f"{number * each} shards of {count} training samples; give fewer shards or clients"
            )
