"""How the learning rate falls while a network is trained."""

from collections.abc import Callable
from math import cos, pi


def cosine(rounds: int) -> Callable[[int], float]:
    """Return the factor of the learning rate in a round, from 1 down to nearly 0."""
    return lambda round_number: (1 + cos(pi * (round_number - 1) / rounds)) / 2


def steps(rounds: int) -> Callable[[int], float]:
    """Return the factor of the learning rate in a round: 1, then 0.1, then 0.01.

    It falls after three and after five eighths of the rounds, as after 150 and 250 of the 400 that
    Split-Mix has on CIFAR-10 (paper thesis, App. C.1).
    """
    return lambda round_number: 0.1 ** sum(8 * (round_number - 1) >= n * rounds for n in (3, 5))


ANNEALING = {"cosine": cosine, "steps": steps}
"""By its name; rounds are those of local epochs, or epochs of a server."""
