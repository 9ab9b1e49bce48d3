"""Who holds which row of published features, as the client file of a task has it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fbftl.data.clients import SERVER, Client
from fbftl.features.store.ragged import Ragged
from fbftl.features.store.reader import FeatureStore


def holders(store: FeatureStore) -> "dict[str, PublishedHolders]":
    """Return the clients of each split, with the labels of their rows and nothing to look at.

    Their names are not published; they are numbered in the order of the store.
    """
    return {split: PublishedHolders(store, split) for split in ("train", "test")}


@dataclass(frozen=True)
class PublishedHolders:
    """The clients of a split, each made in its turn."""

    store: FeatureStore
    split: str

    def __len__(self) -> int:
        return len(np.unique(self.store.clients(self.split)))

    def __iter__(self) -> Iterator[Client]:
        labels, domains = self.store.labels(self.split), self.store.domains(self.split)
        if isinstance(labels, Ragged):
            raise TypeError("labels of images are classes, and these rows have several each")
        clients, samples = self.store.clients(self.split), self.store.samples(self.split)
        groups = self._groups()
        numbers, first = np.unique(clients, return_inverse=True)
        order = np.argsort(first, kind="stable")
        rows_of = np.split(order, np.cumsum(np.bincount(first))[:-1])
        digits = len(str(len(numbers)))
        alone = self.split == "test" and len(numbers) == 1
        for number, rows in enumerate(rows_of):
            arrays = {"label": labels[rows].astype(np.int64)}
            if domains is not None:
                arrays["domain"] = domains[rows]
            yield Client(
                SERVER if alone else f"client{number:0{digits}}",
                samples[rows],
                arrays,
                None if groups is None else groups[rows],
            )

    def _groups(self) -> np.ndarray | None:
        if f"{self.split}/group" not in self.store.arrays:
            return None
        return self.store.array(self.split, "group").read(slice(None))
