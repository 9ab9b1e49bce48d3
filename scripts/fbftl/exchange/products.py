"""Products of one party's matrices with another's numbers, told to the first party alone.

Plain: the other sends its numbers. Paillier: it sends them encrypted; the first multiplies, adds a
mask, has the sums decrypted and takes the mask off. Beaver: both share what they hold, multiply by
a dealer's triples, and the other gives its share of the result. Protected products are of fixed
point with 24 bits behind the point, exact there. What the result itself tells is not hidden.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fbftl.exchange.post import Post
from fbftl.ground.floats import FLOAT_BITS
from fbftl.privacy.homomorphic import NumberCipher
from fbftl.privacy.masking import FRACTION_BITS, NUMBER_BYTES, from_ring, to_ring
from fbftl.privacy.shares import Randomness, dealt, multiplied, opened, randomness, shared

SCALE = 2.0**FRACTION_BITS
RING_FLOATS = 8 * NUMBER_BYTES // FLOAT_BITS
"""Floats that one number of the ring is as long as."""

Product = Callable[[np.ndarray, np.ndarray, int, int], np.ndarray]
"""From matrices (D, m, n), numbers (D, n), the party of the matrices (0 or 1) and the round to the
products (D, m)."""


def plain(post: Post) -> Product:
    """Return products that hide nothing."""

    def product(matrices: np.ndarray, numbers: np.ndarray, party: int, turn: int) -> np.ndarray:
        _tell(post, {"activations": numbers.size}, 1 - party, turn)
        return np.einsum("dmn,dn->dm", matrices, numbers)

    return product


@dataclass
class Shares:
    """Products by Beaver's triples.

    post: through which parties and dealer send.
    parties: what each draws.
    dealer: what the dealer draws.
    """

    post: Post
    parties: tuple[Randomness, Randomness] = field(init=False)
    dealer: Randomness = field(init=False)

    def __post_init__(self) -> None:
        self.parties = randomness(self.post.seed, 0), randomness(self.post.seed, 1)
        self.dealer = randomness(self.post.seed, 2)

    def __call__(
        self, matrices: np.ndarray, numbers: np.ndarray, party: int, turn: int
    ) -> np.ndarray:
        """Return the products to the party of the matrices."""
        triple = dealt(*matrices.shape, self.dealer)
        both = np.array([0, 1])
        handed = {"share": RING_FLOATS * triple.numbers}
        self.post.between(handed, "dealer", "client", np.array([turn, turn]), both)
        x = shared(to_ring(matrices), self.parties[party])
        y = shared(to_ring(numbers), self.parties[1 - party])
        self._share(matrices.size, party, turn)
        self._share(numbers.size, 1 - party, turn)
        for one in (party, 1 - party):  # each opens e and f to the other
            self._share(matrices.size + numbers.size, one, turn)
        result = multiplied(x, y, triple)
        self._share(result[0].size, 1 - party, turn)
        return from_ring(opened(result)) / SCALE

    def _share(self, numbers: int, party: int, turn: int) -> None:
        _tell(self.post, {"share": RING_FLOATS * numbers}, party, turn)


@dataclass
class Ciphertexts:
    """Products under Paillier; each party's numbers are under its own key.

    post: through which they send.
    ciphers: of each party.
    masks: what each party draws.
    """

    post: Post
    ciphers: tuple[NumberCipher, NumberCipher]
    masks: tuple[Randomness, Randomness] = field(init=False)

    def __post_init__(self) -> None:
        self.masks = randomness(self.post.seed, 0), randomness(self.post.seed, 1)

    def __call__(
        self, matrices: np.ndarray, numbers: np.ndarray, party: int, turn: int
    ) -> np.ndarray:
        """Return the products to the party of the matrices."""
        cipher, count = self.ciphers[1 - party], matrices.shape[0] * matrices.shape[1]
        length = cipher.bits // FLOAT_BITS
        encrypted = cipher.encrypted(_fixed(numbers))
        _tell(self.post, {"ciphertext": length * numbers.size}, 1 - party, turn)
        # Two of the ring's numbers, 128 bits: far beyond the products that they hide.
        high, low = (self.masks[party].numbers(count).astype(object) for _ in range(2))
        mask = (high << 64) + low
        sums = cipher.combined(_fixed(matrices), encrypted).ravel() + mask
        _tell(self.post, {"ciphertext": length * count}, party, turn)
        _tell(self.post, {"mask": 2 * RING_FLOATS * count}, 1 - party, turn)
        found = cipher.decrypted(sums) - mask
        return found.astype(float).reshape(matrices.shape[:2]) / SCALE**2


def _fixed(values: np.ndarray) -> np.ndarray:
    """Return fixed-point numbers as integers of Python."""
    return np.rint(values * SCALE).astype(np.int64).astype(object)


def _tell(post: Post, parts: dict[str, int], party: int, turn: int) -> None:
    """Enter a message of one party to the other."""
    post.between(parts, "client", "client", turn, np.array([party]))


def products_under(protection: str, post: Post, ciphers: Any = None) -> Product:
    """Return the products that a setting's protection asks for.

    Args:
        protection: plain, beaver or paillier.
        post: of the repetition.
        ciphers: both parties', for Paillier.
    """
    if protection == "beaver":
        return Shares(post)
    return Ciphertexts(post, ciphers) if protection == "paillier" else plain(post)
