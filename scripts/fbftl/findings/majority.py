"""What always answering the most frequent class scores: the level that an accuracy has to pass."""

import numpy as np

from fbftl.data.clients import ClientFile
from fbftl.findings.tables import Column

MAJORITY = Column("majority", "Majority-class baseline", format="{:.1%}")


def majority_share(clients: str) -> float | None:
    """Return the accuracy on the test split of always answering training's most frequent class.

    Args:
        clients: path of the task's client file.

    Returns:
        The share of the test samples that are of this class; None where samples have no class.
    """
    with ClientFile(clients) as file:
        if not file.has("train", "label"):
            return None
        training, test = (np.asarray(file.column(split, "label")) for split in ("train", "test"))
    return float(np.mean(test == np.bincount(training).argmax()))
