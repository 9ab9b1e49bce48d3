"""Which public rows cover what clients have: clusters, private counts, picks (paper thesis, ch. 5).

A cloud clusters its rows, clients count their own rows by cluster, and the
cloud buys of each cluster by those counts, far from each other inside it. Rows are feature vectors.

A row that is added or removed moves one count by one, a row that is replaced two counts by one
each, √2 in L2 norm and 2 at worst as accountants take it. Counts are of a Poisson sample of the
rows, under Gaussian noise whose standard deviation is σ. Nothing of this hangs on R, nor on what is
bought by the counts, which is post-processing. Labels that a client gives cost extra, query by
query; `methods/ecos/public_rows.py` has what they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from math import sqrt

import numpy as np

from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.privacy import composition
from fbftl.privacy.accounting import Adjacency, rounds_sigma
from fbftl.privacy.composition import Event
from fbftl.privacy.mechanisms import NOTHING_SENT, PrivacyRecord, composed

LOCAL = "Holds against the server too: every client noises what it sends."

CENTRAL = (
    "Holds against the server, which sees the noisy sum alone, as long as it does not collude with"
    " the dealer, which adds the noise."
)

ADJACENCIES: tuple[Adjacency, ...] = ("add-remove", "replace-one")
"""Neighbours, the cheaper first."""


def counts_event(sigma: float, rate: float) -> Event:
    """Return the release of counts of rows sampled with probability γ, under noise σ.

    Raises:
        UserError: if an argument is out of its range.
    """
    return composition.rounds(sigma, rate, 1)


def votes_event(vote_noise: float, confidence_noise: float, rate: float, queries: int) -> Event:
    """Return the releases of so many label queries, votes and confidence of each.

    Both are of one sample, so that they are one Gaussian release: votes of sensitivity √2 and a
    confidence of sensitivity 1.
    """
    multiplier = 1 / sqrt(2 / vote_noise**2 + 1 / confidence_noise**2)
    return composition.rounds(multiplier, rate, queries)


@cache
def rows_guarantee(
    events: tuple[Event, ...], sigma: float | None, delta: float, masked: bool = False
) -> tuple[PrivacyRecord, ...]:
    """Return what counts and label queries guarantee a row added or removed, then a row replaced.

    Args:
        events: the releases of the rows.
        sigma: standard deviation of the noise on each count; None where nobody counts.
        delta: of the guarantees.
        masked: whether the noise is on a secure sum instead of every client's counts.

    Raises:
        UserError: if delta is out of its range.
    """
    note = CENTRAL if masked else LOCAL
    guarantees = [("sample", adjacency, note) for adjacency in ADJACENCIES]
    return composed("counts", guarantees, events, delta, clip_norm=1.0, sigma=sigma, std=sigma)


def counts_guarantee(
    sigma: float, rate: float, delta: float, masked: bool = False
) -> tuple[PrivacyRecord, ...]:
    """Return what noisy counts alone guarantee; see `rows_guarantee`."""
    return rows_guarantee((counts_event(sigma, rate),), sigma, delta, masked)


@cache
def counts_sigma(epsilon: float, rate: float, delta: float) -> float:
    """Return the least σ at which counts cost a row added or removed epsilon."""
    return rounds_sigma(epsilon, delta, rate=rate, rounds=1)


def nothing_sent() -> PrivacyRecord:
    """Return the record of a purchase that rests on nothing of the clients."""
    return PrivacyRecord(
        "none", "Nothing of the clients' rows is sent.", epsilon=0.0, accountant=NOTHING_SENT
    )


AT_ONCE = 8192
"""Rows whose distances to all centroids are held at a time."""

STEPS = 100
"""Most steps of k-means."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """Public rows by their nearest centroid.

    centroids: (R, d) float32.
    member: (n,) the centroid of each row.
    """

    centroids: np.ndarray
    member: np.ndarray

    @cached_property
    def sizes(self) -> np.ndarray:
        """Rows of each cluster, (R,); a cluster may have none."""
        return np.bincount(self.member, minlength=len(self.centroids))


def clustered(values: np.ndarray, count: int, seed: int) -> Clusters:
    """Return clusters by k-means, begun by k-means++.

    Args:
        values: (n, d).
        count: centroids R.
        seed: of the repetition.

    Raises:
        UserError: if there are more centroids than rows.
    """
    if count > len(values):
        raise UserError(
            f"centroids is {count}, but the public sources have {len(values)} rows; ask for fewer"
        )
    # Slow to import, and sums over threads in whatever order: one thread makes equal bytes.
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    state = int(stream(seed, "centroids").integers(2**31))
    with threadpool_limits(1, "openmp"):
        fitted = KMeans(count, n_init=1, max_iter=STEPS, random_state=state).fit(values)
    centroids = fitted.cluster_centers_.astype(np.float32)
    return Clusters(centroids, nearest(values, centroids))


def nearest(values: np.ndarray, centroids: np.ndarray) -> np.ndarray:
    """Return the nearest centroid (n,) of rows (n, d), of equally near ones the first."""
    half = (centroids**2).sum(axis=1) / 2
    member = np.empty(len(values), dtype=np.int64)
    for first in range(0, len(values), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        member[part] = (half - values[part] @ centroids.T).argmin(axis=1)
    return member


def scaled(scores: np.ndarray, power: float) -> np.ndarray:
    """Return ψ(v) = max(v, 0)^s of noisy counts (R,); where none is above 0, all count alike."""
    positive = np.maximum(np.asarray(scores, dtype=np.float64), 0)
    largest = positive.max()
    return (positive / largest) ** power if largest > 0 else np.ones_like(positive)


def capped(weights: np.ndarray, sizes: np.ndarray, purchase: int) -> np.ndarray:
    """Share out a purchase by weight, of no cluster more than it has; what exceeds goes to others.

    Where the clusters with a weight hold as much, the shares sum to the purchase exactly; else they
    are all that these hold. Fractions are rounded up where they are largest, of equal ones first
    the first.

    Args:
        weights: (R,), none negative.
        sizes: (R,) rows of each cluster.
        purchase: rows B.

    Returns:
        Rows of each cluster, int64 (R,).
    """
    offered = np.where(weights > 0, sizes, 0)
    total = min(purchase, int(offered.sum()))
    full = offered == 0
    quota = offered.astype(np.float64)
    while not full.all():
        left = total - int(offered[full].sum())
        quota = np.where(full, offered, left * weights / weights[~full].sum())
        over = ~full & (quota >= offered)
        if not over.any():
            break
        full |= over
        quota[over] = offered[over]
    return _rounded(quota, total)


def printed(weights: np.ndarray, sizes: np.ndarray, purchase: int) -> np.ndarray:
    """Share out a purchase as paper thesis prints it: B min(|C_r| / Σ|C|, v_r / Σv), int64 (R,).

    It caps by a cluster's share of the cloud and not by its rows, so that it buys B rows only where
    clients have the clusters in the cloud's own proportions.
    """
    shares = np.minimum(sizes / sizes.sum(), weights / weights.sum())
    quota = np.minimum(purchase * shares, sizes)
    return _rounded(quota, int(quota.sum() + 0.5))


def greedy(weights: np.ndarray, sizes: np.ndarray, purchase: int) -> np.ndarray:
    """Take the clusters of most weight whole until the purchase is made: proximity alone (Table
    5.5), int64 (R,); of equal weights the first.
    """
    order = np.argsort(-weights, kind="stable")
    before = np.cumsum(sizes[order]) - sizes[order]
    shares = np.empty(len(sizes), dtype=np.int64)
    shares[order] = np.clip(purchase - before, 0, sizes[order])
    return shares


ALLOCATIONS = {"cap": capped, "printed": printed}
"""Ways to share out a purchase over clusters."""


def _rounded(quota: np.ndarray, total: int) -> np.ndarray:
    """Round numbers to whole ones of a given sum, up where the fractions are largest."""
    near = np.rint(quota)
    exact = np.where(np.abs(quota - near) < 1e-9, near, quota)
    whole = np.floor(exact).astype(np.int64)
    up = np.argsort(-(exact - whole), kind="stable")[: total - int(whole.sum())]
    whole[up] += 1
    return whole


def farthest_first(values: np.ndarray, count: int, first: int) -> np.ndarray:
    """Return `count` rows of (n, d), each the farthest from those before it (K-Center, greedy).

    Args:
        values: (n, d).
        count: rows to pick, at most n.
        first: the first row.
    """
    squared = np.einsum("nd,nd->n", values, values)
    least, picked = np.full(len(values), np.inf), [first]
    for _ in range(count - 1):
        last = picked[-1]
        np.minimum(least, squared - 2 * (values @ values[last]) + squared[last], out=least)
        least[last] = -np.inf
        picked.append(int(least.argmax()))
    return np.array(picked[:count], dtype=np.int64)


def picked(
    values: np.ndarray, clusters: Clusters, shares: np.ndarray, diverse: bool, seed: int
) -> np.ndarray:
    """Return so many rows of each cluster: far from each other, or at random.

    Args:
        values: (n, d) of all rows.
        clusters: where the rows are.
        shares: (R,) rows of each cluster.
        diverse: whether rows are picked farthest first, from a random one.
        seed: of the repetition.
    """

    def each() -> Iterator[np.ndarray]:
        for number in np.flatnonzero(shares):
            rows, count = np.flatnonzero(clusters.member == number), int(shares[number])
            order = stream(seed, "purchase", int(number)).permutation(len(rows))
            chosen = (
                farthest_first(values[rows], count, int(order[0])) if diverse else order[:count]
            )
            yield rows[chosen]

    rows_of_clusters = list(each())
    return np.concatenate(rows_of_clusters) if rows_of_clusters else np.zeros(0, dtype=np.int64)
