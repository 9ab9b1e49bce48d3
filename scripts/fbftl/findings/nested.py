"""Nested analysis of variance: how much of the spread seeds bring, and how much source networks.

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
