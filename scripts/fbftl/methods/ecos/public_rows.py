"""The public rows that a cloud sells, as features."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fbftl.features.store.opening import open_store


@dataclass(frozen=True, eq=False)
class PublicRows:
    """What a cloud has.

    values: (n, d) float32.
    labels: (n,) int64.
    domain: (n,) int32 place among the domains of the sources; None if there is one only.
    """

    values: np.ndarray
    labels: np.ndarray
    domain: np.ndarray | None

    def of(self, domains: list[int]) -> np.ndarray:
        """Tell which rows are of some domains, (n,)."""
        if self.domain is None:
            return np.full(len(self.labels), 0 in domains)
        return np.isin(self.domain, domains)


def public_rows(manifest: Path) -> PublicRows:
    """Return all rows of a store of public samples, those that others hold out too."""
    store = open_store(manifest)
    parts = [store.read(split) for split in store.splits]
    has_domains = all(part.domain is not None for part in parts)
    return PublicRows(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.labels for part in parts]).astype(np.int64),
        np.concatenate([part.domain for part in parts]) if has_domains else None,
    )
