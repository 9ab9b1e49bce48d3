"""Products of one party's matrices with another's numbers, told to the first party alone.

Plain: the other sends its numbers. Beaver: both share what they hold, multiply by a dealer's
triples, and the other gives its share of the result. Protected products are of fixed point with 24
bits behind the point, exact there. What the result itself tells is not hidden. Where a message is
lost the product ends: nothing further is sent, and the first party gets none.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fbftl.exchange.post import Post
from fbftl.ground.floats import FLOAT_BITS
from fbftl.ground.ring import FRACTION_BITS
from fbftl.methods.secure_ftl.shares import (
    Randomness,
    multiplication_triple,
    multiplied,
    opened,
    randomness,
    shared,
)
from fbftl.privacy.masking import NUMBER_BYTES, from_ring, to_ring

SCALE = 2.0**FRACTION_BITS
RING_FLOATS = 8 * NUMBER_BYTES // FLOAT_BITS
"""Floats that one number of the ring is as long as."""

Product = Callable[[np.ndarray, np.ndarray, int, int], np.ndarray | None]
"""From matrices (D, m, n), numbers (D, n), the party of the matrices (0 or 1) and the round to the
products (D, m); None if a message is lost."""


def plain(post: Post) -> Product:
    """Return products that hide nothing."""

    def product(
        matrices: np.ndarray, numbers: np.ndarray, party: int, round_number: int
    ) -> np.ndarray | None:
        if not _tell(post, {"activations": numbers.size}, 1 - party, round_number):
            return None
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
        self, matrices: np.ndarray, numbers: np.ndarray, party: int, round_number: int
    ) -> np.ndarray | None:
        """Return the products to the party of the matrices."""
        count, rows, columns = matrices.shape
        triple = multiplication_triple(count, rows, columns, self.dealer)
        both = np.array([0, 1])
        handed = {"share": RING_FLOATS * triple.numbers}
        self.post.between(handed, "dealer", "client", np.array([round_number, round_number]), both)
        x = shared(to_ring(matrices), self.parties[party])
        y = shared(to_ring(numbers), self.parties[1 - party])
        opening = matrices.size + numbers.size  # each opens e and f to the other
        sizes = [matrices.size, numbers.size, opening, opening, matrices[..., 0].size]
        senders = [party, 1 - party, party, 1 - party, 1 - party]
        shares = ({"share": RING_FLOATS * size} for size in sizes)
        messages = zip(shares, senders, strict=True)
        if not all(_tell(self.post, share, sender, round_number) for share, sender in messages):
            return None
        return from_ring(opened(multiplied(x, y, triple))) / SCALE


def _tell(post: Post, parts: dict[str, int], party: int, round_number: int) -> bool:
    """Send a message of one party to the other; return whether it arrives."""
    return post.between(parts, "client", "client", round_number, np.array([party]))


def products_under(protection: str, post: Post) -> Product:
    """Return the products that a setting's protection asks for.

    Args:
        protection: plain or beaver.
        post: of the repetition.
    """
    return Shares(post) if protection == "beaver" else plain(post)
