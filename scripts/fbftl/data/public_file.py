"""The file of public samples: a client for each source and domain, none with the task's samples."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data.clients import Client
from fbftl.data.domains import Domain, Origin, Seen, name_of
from fbftl.data.public import LEAST, PLAIN, public_domains, public_samples, unshared
from fbftl.ground.errors import UserError
from fbftl.study.clients import domains_in

HELD_OUT = 0.1
"""Share of each source's samples that goes into the file's test split."""


def sellers(
    source: Mapping[str, Any],
    public: Mapping[str, Any],
    private: np.ndarray,
    data_folder: str | Path | None,
) -> dict[str, list[Client]]:
    """Return what a file of public samples holds: a client for each source and domain.

    Args:
        source: config block `source` of the task.
        public: its block `public`.
        private: all images of the task, training and test, as its data set has them.
        data_folder: where a data set's relative file names start.

    Returns:
        Clients of the splits `train` and `test`, most of the samples in the first.

    Raises:
        UserError: as `public_samples`, or if a source shares samples with the task.
    """
    domains = public_domains(public)
    splits: dict[str, list[Client]] = {"train": [], "test": []}
    for index, entry in enumerate(public["sources"]):
        images, labels = public_samples(source, entry, data_folder)
        require_strangers(images, private, index)
        rows = np.arange(len(images))
        parts = np.split(rows, [len(rows) - int(HELD_OUT * len(rows))])
        for split, part in zip(splits, parts, strict=True):
            splits[split] += _views(index, entry, images[part], labels[part], part, domains)
    return {split: sorted(clients, key=lambda each: each.id) for split, clients in splits.items()}


def _views(
    index: int, entry: Mapping[str, Any], images: np.ndarray, labels: np.ndarray, rows: np.ndarray,
    domains: Sequence[Domain],
) -> Iterator[Client]:  # fmt: skip
    """Yield a source's samples as they are seen in each of its domains."""
    if not domains:
        yield Client(f"{index:02d}", rows, {"pixels": images, "label": labels})
        return
    for domain in domains_in(entry["domains"]) or (PLAIN,):
        number = np.full(len(rows), domains.index(domain), dtype=np.int32)
        seed = (entry["data"] or {}).get("seed", 0)
        pixels = Seen(images, domains, number, Origin("public", rows, index, seed))
        arrays = {"pixels": pixels, "label": labels, "domain": number}
        yield Client(f"{index:02d}.{name_of(domain)}", rows, arrays)


def require_strangers(images: np.ndarray, private: np.ndarray, index: int) -> None:
    """Refuse a source that holds a sample of the task, or too few.

    Args:
        images: of the source, (n, ...).
        private: of the task, (m, ...) of one type.
        index: of the source in `public.sources`.

    Raises:
        UserError: saying how many.
    """
    where = f"config: public.sources.{index}"
    if shared := len(images) - len(unshared(images, private)):
        raise UserError(
            f"{where}: {shared} of its {len(images)} samples are the task's own; name another data "
            "set, or another portion of this one"
        )
    if len(images) < LEAST:
        raise UserError(f"{where} has {len(images)} samples; give it at least {LEAST}")
