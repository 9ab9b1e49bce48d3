"""Membership by noisy counts: was a row among those that a client counted?

Worlds with and without a victim are drawn as the mechanism draws them: a Poisson sample of the
others, the victim with the same probability, Gaussian noise on the count of its cluster. Other
clusters tell nothing of it, since their noise is their own.
"""

from dataclasses import dataclass

import numpy as np

from fbftl.attacks.membership import Scores, auc, least_epsilon
from fbftl.ground.randomness import stream

KNOWLEDGE = {
    "knows which other rows were counted": "sampled",
    "knows all other rows": "rows",
    "knows no other row": "nothing",
}
"""Adversaries, the strongest first, the one that a guarantee is against."""


@dataclass(frozen=True)
class Recognised:
    """What counts told an adversary of its victims.

    auc: probability that a row which was there scores above one that was not; 0.5 is a guess.
    epsilon: that no guarantee can lie below.
    """

    auc: float
    epsilon: float


def recognise(
    cluster: np.ndarray, rate: float, sigma: float, knows: str, draws: int, seed: int,
    delta: float, confidence: float,
) -> Recognised:  # fmt: skip
    """Return what the counts of a client tell of its rows.

    Args:
        cluster: (n,) cluster of each of the client's rows.
        rate: probability γ with which a row is counted.
        sigma: standard deviation of the noise on each count.
        knows: what the adversary has of the others, see `KNOWLEDGE`.
        draws: worlds with a victim, and as many without.
        seed: of the draws.
        delta: of the guarantee.
        confidence: with which the bound on epsilon holds.
    """
    rng = stream(seed, "counted members")
    others = np.bincount(cluster)[cluster[rng.integers(len(cluster), size=(2, draws))]] - 1
    counted = rng.binomial(others, rate)
    there = np.stack([rng.random(draws) < rate, np.zeros(draws, dtype=bool)])
    seen = counted + there + sigma * rng.standard_normal((2, draws))
    guessed = {"sampled": counted, "rows": rate * others, "nothing": others.mean()}[knows]
    inside, outside = seen - guessed
    halves = [
        Scores(inside[half], outside[half]) for half in (slice(0, None, 2), slice(1, None, 2))
    ]
    return Recognised(auc(inside, outside), least_epsilon(*halves, delta, confidence))
