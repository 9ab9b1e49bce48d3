"""Clients whose features are drawn by seed: as many as wanted, none of them stored.

A sample of class c is max(μ_c + noise, 0), as behind a ReLU, with normal class means μ_c of
deviation 1/8 and normal noise of deviation 1. Clients are drawn in blocks, so that any of them can
be drawn again without those before it.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fbftl.ground.randomness import stream

BLOCK = 128
"""Clients that share a random stream, and are drawn, encoded and read together."""

DEVIATION_OF_MEANS = np.float32(1 / 8)
"""Standard deviation of every number of a class mean."""


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

    def document(self) -> dict[str, Any]:
        """Return the fields as JSON-ready builtins."""
        return asdict(self)

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
