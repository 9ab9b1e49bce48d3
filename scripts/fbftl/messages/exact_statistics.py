"""Sufficient statistics in whole numbers, so that clients can be added in any order and taken back.

Every value is rounded to a whole number of steps 2^-f. Products and sums of whole numbers are whole
numbers: a product of matrices in float64 is exact below 2^53, what is added up in int64 is exact
below 2^63, and beyond either nothing is computed. So equal samples give equal bytes however they
were grouped, late ones are added to a sum, and a client's part is subtracted without a trace.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from fbftl.ground.errors import UserError
from fbftl.messages.statistics import Statistics

FRACTION_BITS = 10
"""Bits f behind the point of a value: finer by far than the steps of a quantised upload."""

ROWS_AT_ONCE = 4096
"""Rows of one product of matrices."""

EXACT_IN_FLOATS = 2**53
"""Sizes up to which float64 holds every whole number."""

LARGEST_SUM = 2**63 - 1
"""Largest whole number of int64."""


@dataclass(frozen=True, eq=False)
class ExactStatistics:
    """What is known of some samples of N classes in d dimensions, in whole numbers.

    counts: (N,) int64 samples of each class.
    sums: (N, d) int64, sum of each class in steps.
    scatter: (d, d) int64, Σ x xᵀ in steps²; symmetric.
    fraction_bits: f; a step is 2^-f.
    """

    counts: np.ndarray
    sums: np.ndarray
    scatter: np.ndarray
    fraction_bits: int = field(default=FRACTION_BITS, kw_only=True)

    @classmethod
    def nothing(
        cls, classes: int, width: int, fraction_bits: int = FRACTION_BITS
    ) -> "ExactStatistics":
        """Return what is known of no samples."""
        shapes = (classes,), (classes, width), (width, width)
        return cls(*(np.zeros(shape, np.int64) for shape in shapes), fraction_bits=fraction_bits)

    @classmethod
    def of(
        cls,
        values: np.ndarray,
        labels: np.ndarray,
        classes: int,
        fraction_bits: int = FRACTION_BITS,
    ) -> "ExactStatistics":
        """Return the statistics of samples.

        Args:
            values: (n, d) float32, finite.
            labels: (n,) integers below `classes`.
            classes: number of classes N.
            fraction_bits: f.

        Raises:
            UserError: if values are so large that their products are not exact, or their sums
                leave int64.
        """
        statistics = cls.nothing(classes, values.shape[1], fraction_bits)
        for first in range(0, len(values), ROWS_AT_ONCE):
            steps = _steps(values[first : first + ROWS_AT_ONCE], fraction_bits)
            chunk_labels = labels[first : first + ROWS_AT_ONCE]
            belongs = (chunk_labels == np.arange(classes)[:, None]).astype(np.float64)
            statistics += cls(
                np.bincount(chunk_labels, minlength=classes),
                (belongs @ steps).astype(np.int64),
                (steps.T @ steps).astype(np.int64),
                fraction_bits=fraction_bits,
            )
        return statistics

    def __add__(self, other: "ExactStatistics") -> "ExactStatistics":
        """Return the statistics of both sets of samples.

        Raises:
            UserError: if a sum leaves int64, or the two have other steps or shapes.
        """
        self._require_alike(other)
        # No entry of Σ x xᵀ is larger than the largest of its diagonal.
        room = LARGEST_SUM - np.diagonal(other.scatter)
        if (np.diagonal(self.scatter) > room).any():
            raise UserError(
                f"the sum of second moments leaves the whole numbers of 64 bits; "
                f"take fewer than {self.fraction_bits} bits behind the point"
            )
        pairs = zip(self.arrays(), other.arrays(), strict=True)
        return ExactStatistics(*(a + b for a, b in pairs), fraction_bits=self.fraction_bits)

    def __sub__(self, other: "ExactStatistics") -> "ExactStatistics":
        """Return the statistics without samples that are among them.

        Raises:
            UserError: if they cannot be among them, or the two have other steps or shapes.
        """
        self._require_alike(other)
        pairs = zip(self.arrays(), other.arrays(), strict=True)
        rest = ExactStatistics(*(a - b for a, b in pairs), fraction_bits=self.fraction_bits)
        if rest.counts.min() < 0 or np.diagonal(rest.scatter).min() < 0:
            raise UserError("samples are to be deleted that are not among those that were summed")
        return rest

    def arrays(self) -> Iterator[np.ndarray]:
        """Yield counts, sums and scatter."""
        yield from (self.counts, self.sums, self.scatter)

    def sha256(self) -> str:
        """Return the digest of all three arrays."""
        return sha256(b"".join(array.tobytes() for array in self.arrays())).hexdigest()

    def statistics(self) -> Statistics:
        """Return the statistics in numbers, float64, which heads are solved from."""
        step = 2.0**-self.fraction_bits
        return Statistics(self.counts.astype(float), self.sums * step, self.scatter * step**2)

    def _require_alike(self, other: "ExactStatistics") -> None:
        if self.fraction_bits != other.fraction_bits or self.sums.shape != other.sums.shape:
            raise UserError(
                f"statistics of {self.sums.shape} numbers with {self.fraction_bits} bits behind "
                f"the point and of {other.sums.shape} with {other.fraction_bits} do not add up"
            )


def _steps(values: np.ndarray, fraction_bits: int) -> np.ndarray:
    """Return the nearest steps of values (n, d) as whole float64 numbers."""
    steps = values.astype(np.float64)
    steps *= 2.0**fraction_bits
    np.rint(steps, out=steps)
    largest = max(steps.max(initial=0.0), -steps.min(initial=0.0))
    if not len(steps) * largest**2 <= EXACT_IN_FLOATS:
        raise UserError(
            f"values of size {largest / 2.0**fraction_bits:g} with {fraction_bits} bits behind the "
            "point have products that float64 does not hold exactly; clip them or take fewer bits"
        )
    return steps
