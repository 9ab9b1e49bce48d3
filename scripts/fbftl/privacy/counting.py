"""Privacy of counts: how many of a client's rows lie in each of R clusters.

A row that is added or removed moves one count by one, a row that is replaced two counts by one
each, √2 in L2 norm and 2 at worst as accountants take it. Counts are of a Poisson sample of the
rows, under Gaussian noise whose standard deviation is σ. Nothing of this hangs on R, nor on what is
bought by the counts, which is post-processing.
"""

from functools import cache

from fbftl.privacy import composition
from fbftl.privacy.accounting import Adjacency, rounds_sigma
from fbftl.privacy.mechanisms import PrivacyRecord

LOCAL = "Holds against the server too: every client noises its own counts."

CENTRAL = (
    "Holds against the server, which sees the noisy sum alone, as long as it does not collude with"
    " the dealer, which adds the noise."
)

ADJACENCIES: tuple[Adjacency, ...] = ("add-remove", "replace-one")
"""Neighbours, the cheaper first."""


@cache
def counts_guarantee(
    sigma: float, rate: float, delta: float, masked: bool = False
) -> tuple[PrivacyRecord, ...]:
    """Return what noisy counts guarantee a row added or removed, then a row replaced.

    Args:
        sigma: standard deviation σ of the noise on each count.
        rate: probability γ with which a row is counted.
        delta: of the guarantees.
        masked: whether the noise is on a secure sum instead of every client's counts.

    Raises:
        UserError: if an argument is out of its range.
    """
    event = composition.rounds(sigma, rate, 1)
    found = [(one, composition.compose([event], delta, one)) for one in ADJACENCIES]
    return tuple(
        PrivacyRecord(
            mechanism="counts",
            unit="sample",
            adjacency=adjacency,
            clip_norm=1.0,
            sigma=sigma,
            noise_std=sigma,
            epsilon=composed.epsilon,
            delta=delta,
            accountant=composed.accountant,
            covers_labels=True,
            note=CENTRAL if masked else LOCAL,
            events=composition.told([event]),
        )
        for adjacency, composed in found
    )


@cache
def counts_sigma(epsilon: float, rate: float, delta: float) -> float:
    """Return the least σ at which counts cost a row added or removed epsilon."""
    return rounds_sigma(epsilon, delta, rate=rate, rounds=1)


def nothing_sent() -> PrivacyRecord:
    """Return the record of a purchase that rests on nothing of the clients."""
    return PrivacyRecord(
        "none", "Nothing of the clients' rows is sent.", epsilon=0.0, accountant="nothing sent"
    )
