"""Privacy of counts: how many of a client's rows lie in each of R clusters; and of label queries.

A row that is added or removed moves one count by one, a row that is replaced two counts by one
each, √2 in L2 norm and 2 at worst as accountants take it. Counts are of a Poisson sample of the
rows, under Gaussian noise whose standard deviation is σ. Nothing of this hangs on R, nor on what is
bought by the counts, which is post-processing. Labels that a client gives cost extra, query by
query; `methods/ecos/private_knn.py` has what they are.
"""

from functools import cache
from math import sqrt

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
