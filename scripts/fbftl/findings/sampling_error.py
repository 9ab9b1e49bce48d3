"""Errors of an accuracy: what the test set, the seeds and the source networks have in it.

Another test set of the size scores otherwise. The test samples are drawn once, and all seeds and
methods share them, so that no spread over seeds shows this error. From accuracies alone it has
bounds: sample i is answered right by a share c_i of the seeds, the accuracy p is the mean of the
c_i over N samples, and

    var(c) ≤ p (1 - p),

with equality where all seeds answer alike (the binomial error). Of two accuracies on the same
samples with c_i and c'_i, d = p - p',

    var(c - c') ≤ E |c - c'| - d² ≤ min(p + p', 2 - p - p') - d²,

with equality where no sample is answered wrong by both (right, where both are below a half).

How much of a spread seeds bring, and how much source networks, a nested analysis of variance tells.
Model (balanced random effects): y_ij = μ + a_i + e_ij for seed j = 1..n under source i = 1..a, with
a_i of variance σ²_sources and e_ij of variance σ²_seeds, all independent. With the mean squares
within sources, W, and between them, B,

    E W = σ²_seeds,    E B = σ²_seeds + n σ²_sources,

the estimates W and (B - W) / n are unbiased. The second is negative where sources differ by less
than seeds alone would have their means differ; it is kept as it comes out, since cut off at zero it
would be biased. The squares of the standard errors,

    2 W² / (a (n - 1) + 2)    and    2 / n² (B² / (a + 1) + W² / (a (n - 1) + 2)),

are unbiased for the variances of both estimates under normal effects (Searle, Casella and
McCulloch, Variance Components, 1992, Sec. 3.5). The variance of the mean over all is estimated by
B / (a n).
"""

import math
from collections.abc import Sequence

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


def components(scores: Sequence[Sequence[float]]) -> dict[str, float]:
    """Return the parts of the variance of a score over seeds of several sources, in its unit².

    `mean`, `error`: over all runs, and its standard error where sources are drawn as well as seeds.
    `within`, `between`: mean squares. `seeds_variance`, `seeds_error`: of seeds under one source,
    with its standard error; NaN where a source has one seed. `sources_variance`, `sources_error`:
    of what sources add, which may come out below zero, likewise. `seeds_spread`, `sources_spread`:
    the roots of both variances; 0 of one below zero.

    Args:
        scores: (a, n), by source and seed, at least two sources of as many seeds each.

    Raises:
        ValueError: if there are fewer sources or the numbers of seeds differ.
    """
    sources, seeds = len(scores), {len(of_source) for of_source in scores}
    if sources < 2 or len(seeds) != 1 or 0 in seeds:
        raise ValueError(f"{sources} sources with {sorted(seeds)} seeds are not balanced")
    (n,) = seeds
    values, freedom = np.asarray(scores, dtype=float), sources * (n - 1)
    means = values.mean(1)
    between = n * float(means.var(ddof=1))
    within = float(((values - means[:, None]) ** 2).sum()) / freedom if freedom else math.nan
    of_sources = (between - within) / n
    of_within = 2 * within**2 / (freedom + 2)
    of_between = 2 * between**2 / (sources + 1)
    return {
        "mean": float(values.mean()),
        "error": math.sqrt(between / (sources * n)),
        "within": within,
        "between": between,
        "seeds_variance": within,
        "seeds_error": math.sqrt(of_within),
        "sources_variance": of_sources,
        "sources_error": math.sqrt(of_between + of_within) / n,
        "seeds_spread": math.sqrt(within),
        "sources_spread": 0.0 if of_sources < 0 else math.sqrt(of_sources),
    }
