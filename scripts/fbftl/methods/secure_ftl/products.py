"""Products of one party's matrices with another's numbers, told to the first party alone.

Plain: the other sends its numbers. Beaver: both share what they hold, multiply by a dealer's
triples, and the other gives its share of the result. Protected products are of fixed point with 24
bits behind the point, exact there. What the result itself tells is not hidden. Where a message is
lost the product ends: nothing further is sent, and the first party gets none.

A number is the sum of two shares in the integers mod 2^64; either alone is uniform. A dealer hands
out shares of random a and b and of c = a b. Parties open e = x - a and f = y - b, which tell
nothing of x and y, and have with c + e b + a f + e f shares of x y (Beaver 1992). Products here are
of matrices with vectors, many at once, and exact in the ring.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fbftl.exchange.post import Post
from fbftl.ground.floats import FLOAT_BITS
from fbftl.ground.ring import FRACTION_BITS
from fbftl.privacy.masking import NUMBER_BYTES, Dealer, from_ring, mask, to_ring

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
    first, second = (
        c + products(e, b) + products(a, f)
        for a, b, c in zip(triple.a, triple.b, triple.c, strict=True)
    )
    return first + products(e, f), second


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
