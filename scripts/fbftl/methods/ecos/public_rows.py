"""The public rows that a cloud sells, as features, in clusters and in order."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from fbftl.features.store.reader import open_store
from fbftl.messages.statistics import LabelledRows
from fbftl.methods.ecos.coverage import Clusters, clustered, farthest_first
from fbftl.training.closed_form import LinearHead
from fbftl.training.logistic import logistic
from fbftl.training.tasks.task import LabelledFeatures


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


@dataclass
class PublicPool:
    """What is sold, and who may buy it.

    client_data: what the clients hold.
    rows: the public rows.
    most: rows of the largest purchase by K-Center, of which any smaller one is the beginning.
    _clusters: by number of centroids and seed: settings that ask for the same share the work.
    _apart: by its first row, K-Center's order of the rows, likewise.
    _teacher: the head that learnt from all that is sold, once it is needed.
    """

    client_data: LabelledFeatures
    rows: PublicRows
    most: int = 0
    _clusters: dict[tuple[int, int], Clusters] = field(default_factory=dict)
    _apart: dict[int, np.ndarray] = field(default_factory=dict)
    _teacher: LinearHead | None = None

    def clusters(self, count: int, seed: int) -> Clusters:
        """Return the public rows in so many clusters."""
        if (count, seed) not in self._clusters:
            self._clusters[count, seed] = clustered(self.rows.values, count, seed)
        return self._clusters[count, seed]

    def apart(self, count: int, first: int) -> np.ndarray:
        """Return so many of the public rows, from a first one on each farthest from the others."""
        if first not in self._apart or len(self._apart[first]) < count:
            self._apart[first] = farthest_first(self.rows.values, max(count, self.most), first)
        return self._apart[first][:count]

    def teacher(self, penalties: Sequence[float]) -> LinearHead:
        """Return a head that learnt from all public rows and their labels."""
        if self._teacher is None:
            everything = LabelledRows(self.rows.values, self.rows.labels, self.rows.labels)
            self._teacher = logistic(everything, self.client_data.payload.classes, penalties).head
        return self._teacher
