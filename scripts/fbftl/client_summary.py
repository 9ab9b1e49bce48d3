"""What a client file holds, in numbers: clients, their sizes, and how their labels are spread."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.clients import ClientFile
from fbftl.partition import label_counts


def labels_by_client(path: str | Path, split: str = "train") -> np.ndarray:
    """Return how many samples of each class each client holds, int64 [clients, classes].

    Rows follow `ClientFile.client_ids`; this is what the measured label leakage is computed from.

    Raises:
        UserError: on a damaged file, or one without labels (a text task).
    """
    with ClientFile(path) as file:
        labels = np.asarray(file.column(split, "label"))
        owners = file.examples(split).owners(0, file.count(split))
        classes = len(json.loads(file.attributes["classes"]))
        return label_counts(labels, owners, classes)


def describe(path: str | Path, split: str = "train") -> dict[str, Any]:
    """Return a split's numbers as a JSON document.

    ``classes_per_client`` counts the classes of which a client has a sample; ``largest_share`` is
    the share of a client's most frequent class: 1 / N for balanced clients, 1 for one class each.
    """
    counts = labels_by_client(path, split)
    sizes = counts.sum(axis=1)
    return {
        "clients": len(counts),
        "samples": int(sizes.sum()),
        "samples_per_client": _spread(sizes),
        "classes_per_client": _spread((counts > 0).sum(axis=1)),
        "largest_share": _spread(counts.max(axis=1) / sizes),
        "samples_per_class": counts.sum(axis=0).tolist(),
    }


def _spread(values: np.ndarray) -> dict[str, float]:
    return {"min": values.min().item(), "mean": values.mean().item(), "max": values.max().item()}
