"""Additive secret shares of two parties in the integers mod 2^64, multiplied by Beaver's triples.

A number is the sum of two shares; either alone is uniform. A dealer hands out shares of random a
and b and of c = a b. Parties open e = x - a and f = y - b, which tell nothing of x and y, and have
with c + e b + a f + e f shares of x y (Beaver 1992). Products here are of matrices with vectors,
many at once, and exact in the ring.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fbftl.privacy.masking import Dealer, mask

Pair = tuple[np.ndarray, np.ndarray]
"""Both parties' shares of the same numbers, uint64."""


@dataclass
class Randomness:
    """A stream of uniform numbers that one party knows.

    key: 32 bytes.
    used: number of calls so far.
    """

    key: bytes
    used: int = 0

    def numbers(self, *shape: int) -> np.ndarray:
        """Return uniform uint64 numbers of a shape, new ones at every call."""
        self.used += 1
        return mask(self.key, self.used, int(np.prod(shape))).reshape(shape)


def randomness(seed: int, party: int) -> Randomness:
    """Return a study's stream for a party (0, 1, or 2 for the dealer), which repeats."""
    return Randomness(Dealer.of_study(seed).key(party))


def shared(numbers: np.ndarray, random: Randomness) -> Pair:
    """Return shares of numbers; the second is drawn."""
    random_share = random.numbers(*numbers.shape)
    return numbers - random_share, random_share


def opened(shares: Pair) -> np.ndarray:
    """Return what is shared."""
    return shares[0] + shares[1]


@dataclass(frozen=True)
class Triple:
    """Shares of a (D, m, n), b (D, n) and c = a b (D, m)."""

    a: Pair
    b: Pair
    c: Pair

    @property
    def numbers(self) -> int:
        """Numbers that each party is handed."""
        return sum(pair[0].size for pair in (self.a, self.b, self.c))


def multiplication_triple(count: int, rows: int, columns: int, random: Randomness) -> Triple:
    """Return a new triple for `count` products of matrices (rows, columns) with vectors."""
    a, b = random.numbers(count, rows, columns), random.numbers(count, columns)
    return Triple(*(shared(values, random) for values in (a, b, products(a, b))))


def products(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return matrices (D, m, n) times vectors (D, n) mod 2^64, (D, m)."""
    return (matrices @ vectors[..., None])[..., 0]


def multiplied(x: Pair, y: Pair, triple: Triple) -> Pair:
    """Return shares of the products of shared matrices (D, m, n) and vectors (D, n)."""
    e = opened((x[0] - triple.a[0], x[1] - triple.a[1]))
    f = opened((y[0] - triple.b[0], y[1] - triple.b[1]))
    first, second = _terms(e, f, triple)
    return first + products(e, f), second


def _terms(e: np.ndarray, f: np.ndarray, triple: Triple) -> Iterator[np.ndarray]:
    for a, b, c in zip(triple.a, triple.b, triple.c, strict=True):
        yield c + products(e, b) + products(a, f)
