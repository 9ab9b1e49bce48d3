"""The test set's share in the error of an accuracy: another test set of the size scores otherwise.

The test samples are drawn once, and all seeds and methods share them, so that no spread over seeds
shows this error. From accuracies alone it has bounds: sample i is answered right by a
share c_i of the seeds, the accuracy p is the mean of the c_i over N samples, and

    var(c) ≤ p (1 - p),

with equality where all seeds answer alike (the binomial error). Of two accuracies on the same
samples with c_i and c'_i, d = p - p',

    var(c - c') ≤ E |c - c'| - d² ≤ min(p + p', 2 - p - p') - d²,

with equality where no sample is answered wrong by both (right, where both are below a half).
"""

import numpy as np
import pandas as pd

from fbftl.data.clients import ClientFile


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


def size_of_test_set(clients: str) -> int:
    """Return how many test samples a client file has."""
    with ClientFile(clients) as file:
        return file.count("test")


def error_of(accuracy: pd.Series, samples: int) -> pd.Series:
    """Return the binomial standard error of accuracies, shares of 1, on so many test samples."""
    return (accuracy * (1 - accuracy) / samples) ** 0.5


def error_of_difference(first: pd.Series, second: pd.Series | float, samples: int) -> pd.Series:
    """Return the most that the standard error of differences on the same test samples can be."""
    disagreeing = np.minimum(first + second, 2 - first - second)
    return ((disagreeing - (first - second) ** 2).clip(lower=0) / samples) ** 0.5


def with_test_set(
    table: pd.DataFrame,
    clients: str,
    sides: tuple[pd.Series, pd.Series | float] | None = None,
    accuracy: str = "accuracy",
    majority: bool = False,
) -> pd.DataFrame:
    """Return a table with the test set's error of accuracies, and the most that of differences is.

    Args:
        table: with a column of accuracies.
        clients: path of the task's client file.
        sides: both accuracies of each row's difference, if it has one.
        accuracy: the column.
        majority: whether what always answering the most frequent class scores stands beside it.
    """
    samples = size_of_test_set(clients)
    table = table.assign(test_set_error=error_of(table[accuracy], samples))
    if sides is not None:
        table = table.assign(test_set_error_of_difference=error_of_difference(*sides, samples))
    return table.assign(majority=majority_share(clients)) if majority else table
