"""How strongly a message is compressed: q bits per element, a ratio r of elements kept."""

from dataclasses import dataclass

import numpy as np

from fbftl.ground.floats import FLOAT_BITS


@dataclass(frozen=True)
class Compression:
    """Quantisation and sparsification of one message, Eq. (20) and (22): Q_q(S_r(z)).

    bits: q, 1 to 16 for a uniform grid of 2^q levels, or 32 for plain float32.
    keep: r in (0, 1], the ratio of elements kept.
    fitted: whether a row's levels are those with the least squared error, which leave its extremes
        out, instead of spanning it.

    Raises:
        ValueError: if one of them is out of range.
    """

    bits: int = FLOAT_BITS
    keep: float = 1.0
    fitted: bool = False

    def __post_init__(self) -> None:
        if self.bits not in (*range(1, 17), FLOAT_BITS):
            raise ValueError(f"bits must be 1 to 16, or 32, not {self.bits}")
        if not 0 < self.keep <= 1:
            raise ValueError(f"keep must lie in (0, 1], not {self.keep}")


PLAIN = Compression()


class NotFiniteError(ValueError):
    """There is NaN or infinity where a message should be made; in training, it has diverged."""


def finite_float32(values: np.ndarray) -> np.ndarray:
    """Return `values` as a contiguous float32 array.

    Raises:
        ValueError: if it is empty.
        NotFiniteError: if an element is NaN or infinite (also after rounding).
    """
    with np.errstate(over="ignore"):
        values = np.ascontiguousarray(values, dtype=np.float32)
    if values.size == 0:
        raise ValueError("there is nothing to encode: the array is empty")
    if not np.isfinite(values).all():
        raise NotFiniteError("a message cannot carry NaN or infinite values")
    return values
