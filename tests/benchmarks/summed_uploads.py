"""Uploads of drawn clients and their sum in whole numbers, for the benchmark of ten millions.

A sample of class c is max(μ_c + noise, 0), as behind a ReLU, with normal class means μ_c of
deviation 1/8 and normal noise of deviation 1. Clients are drawn in blocks, so that any of them can
be drawn again without those before it.

What the server reads is rounded to whole numbers of steps 2^-10, finer by far than the steps of a
quantised upload. A product of matrices in float64 is exact below 2^53, so that equal uploads give
equal sums in whatever order and grouping.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from fbftl.ground.errors import required
from fbftl.ground.randomness import stream
from fbftl.messages.codec import Compression, decode, encode_many
from fbftl.messages.statistics import Statistics

BLOCK = 128
"""Clients that share a random stream, and are drawn, encoded and read together."""

DEVIATION_OF_MEANS = np.float32(1 / 8)
"""Standard deviation of every number of a class mean."""

STEP = 2.0**-10
"""What a whole number of a sum counts."""

EXACT_IN_FLOATS = 2**53
"""Sizes up to which float64 holds every whole number."""


@dataclass(frozen=True)
class DrawnClients:
    """What decides the samples of every client.

    samples: of each client, K.
    width: numbers of a sample, d.
    classes: N, equally likely.
    seed: of all draws.
    """

    samples: int = 8
    width: int = 256
    classes: int = 10
    seed: int = 0

    @cached_property
    def means(self) -> np.ndarray:
        """Class means before the noise, (N, d) float32."""
        shape = (self.classes, self.width)
        draws = stream(self.seed, "class means").standard_normal(shape, dtype=np.float32)
        return draws * DEVIATION_OF_MEANS

    def blocks(self, first: int, last: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the samples of clients first to last - 1, a block at a time.

        Yields:
            Features (m, K, d) float32 and labels (m, K) int64 of m neighbouring clients.
        """
        for number in range(first // BLOCK, -(-last // BLOCK)):
            values, labels = self._block(number)
            start = number * BLOCK
            inside = slice(max(first - start, 0), last - start)
            yield values[inside], labels[inside]

    def _block(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        draws = stream(self.seed, "clients", number)
        labels = draws.integers(self.classes, size=(BLOCK, self.samples))
        shape = (BLOCK, self.samples, self.width)
        values = draws.standard_normal(shape, dtype=np.float32)
        values += self.means[labels]
        return np.maximum(values, 0, out=values), labels


@dataclass(frozen=True, eq=False)
class UploadSum:
    """What a server knows of the uploads of some clients.

    bits: of all messages, headers included.
    counts: (N,) int64 samples of each class.
    sums: (N, d) int64, sum of each class in steps.
    scatter: (d, d) int64, Σ x xᵀ in steps².
    """

    bits: int
    counts: np.ndarray
    sums: np.ndarray
    scatter: np.ndarray

    def __add__(self, other: "UploadSum") -> "UploadSum":
        """Return the sum of the uploads of both."""
        pairs = zip(self.arrays, other.arrays, strict=True)
        return UploadSum(self.bits + other.bits, *(a + b for a, b in pairs))

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Counts, sums and scatter."""
        return self.counts, self.sums, self.scatter

    @property
    def statistics(self) -> Statistics:
        """The statistics in numbers, float64, which heads are solved from."""
        return Statistics(self.counts.astype(float), self.sums * STEP, self.scatter * STEP**2)


def sum_uploads(clients: DrawnClients, bits: int, first: int, last: int) -> UploadSum:
    """Return the sum of what clients first to last - 1 upload, each in a message of its own.

    Args:
        clients: whose samples are drawn.
        bits: q of every message.
        first: number of the first client.
        last: number behind the last client, above `first`.

    Raises:
        ValueError: if samples are so large that their products are not exact.
    """
    shapes = (clients.classes,), (clients.classes, clients.width), (clients.width, clients.width)
    total = UploadSum(0, *(np.zeros(shape, np.int64) for shape in shapes))
    for values, labels in clients.blocks(first, last):
        messages = encode_many(values, labels, clients.classes, Compression(bits))
        read = list(map(decode, messages))
        steps = np.rint(np.concatenate([each.values for each in read]) / np.float64(STEP))
        if len(steps) * np.abs(steps).max() ** 2 > EXACT_IN_FLOATS:
            raise ValueError("samples are too large for exact products in float64")
        of_class = (
            np.concatenate([required(each.labels) for each in read])
            == np.arange(clients.classes)[:, None]
        )
        counts = of_class.sum(axis=1)
        sums, scatter = of_class.astype(np.float64) @ steps, steps.T @ steps
        sent = 8 * sum(map(len, messages))
        total += UploadSum(sent, counts, sums.astype(np.int64), scatter.astype(np.int64))
    return total
