"""Compression of a message: S_r keeps the largest elements, Q_q gives q bits to each."""

from dataclasses import dataclass
from math import ceil

import numpy as np

from fbftl.ground.floats import FLOAT_BITS, as_written


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


RANGE_BYTES = 8  # a grid travels as its two ends

FITS = 8
"""Rounds in which levels are fitted to a vector; few of its elements move afterwards."""

LOOKED_UP_AT_ONCE = 2**18
"""Codes whose values are looked up together: their places fit a processor's cache."""


@dataclass(frozen=True)
class Grid:
    """The levels of each vector: 2^bits values, evenly spaced from `low` to `high`.

    low: (..., 1) float32 minimum; never -0.0.
    high: (..., 1) float32 maximum; never -0.0.
    bits: q, 1 to 16.
    """

    low: np.ndarray
    high: np.ndarray
    bits: int

    @classmethod
    def of(cls, values: np.ndarray, bits: int, fitted: bool = False) -> "Grid":
        """Return the grid that spans each vector (..., X) along the last axis.

        A fitted one begins there and is brought nearer to the elements in turns: they take their
        nearest levels, and the levels move to where these elements are, by least squares. At one
        bit these are the turns of k-means.
        """
        # Adding zero turns -0.0 into 0.0: equal vectors get equal grids.
        low = values.min(axis=-1, keepdims=True) + np.float32(0)
        high = values.max(axis=-1, keepdims=True) + np.float32(0)
        grid = cls(low, high, bits)
        for _ in range(FITS if fitted else 0):
            grid = grid._moved(values)
        return grid

    def _moved(self, values: np.ndarray) -> "Grid":
        """Return the grid whose levels are nearest to the elements that take them."""
        codes = self.codes(values).astype(np.float32)
        level = codes.mean(axis=-1, keepdims=True)
        centre = values.mean(axis=-1, keepdims=True)
        off = codes - level
        crossed = (off * values).mean(axis=-1, keepdims=True)
        squared = (off * off).mean(axis=-1, keepdims=True)
        step = np.divide(crossed, squared, out=np.zeros_like(crossed), where=squared > 0)
        low = centre - step * level
        return Grid(low, low + step * np.float32(2**self.bits - 1), self.bits)

    def codes(self, values: np.ndarray) -> np.ndarray:
        """Return the nearest level of each element (ties to the even one), (..., X) uint16.

        Elements beyond the grid's ends take these.
        """
        low = self.low.astype(np.float64)
        span = self.high - low
        levels = 2**self.bits - 1
        steps = np.divide(levels, span, out=np.zeros_like(span), where=span > 0)
        codes = values - low
        codes *= steps
        np.clip(codes, 0, levels, out=codes)
        return np.rint(codes, out=codes).astype(np.uint16)

    def values(self, codes: np.ndarray) -> np.ndarray:
        """Return the levels' values, (..., X) float32; both ends of the grid come out exactly."""
        if codes.shape[-1] <= 2**self.bits:
            return self._levels(codes)
        # Long vectors: every level once, then look up, some rows at a time.
        table = self._levels(np.arange(2**self.bits)).reshape(-1, 2**self.bits)
        values = np.empty(codes.shape, dtype=np.float32)
        rows, width = values.reshape(len(table), -1), codes.shape[-1]
        codes, at_once = codes.reshape(rows.shape), max(1, LOOKED_UP_AT_ONCE // width)
        for first in range(0, len(rows), at_once):
            levels = table[first : first + at_once]
            places = codes[first : first + at_once].astype(np.intp)
            places += np.arange(0, levels.size, 2**self.bits)[:, None]
            np.take(levels.reshape(-1), places, out=rows[first : first + at_once], mode="clip")
        return values

    def _levels(self, codes: np.ndarray) -> np.ndarray:
        share = codes / (2**self.bits - 1)
        exact = self.low * (1 - share) + self.high * share
        return exact.astype(np.float32) + np.float32(0)


_WITHOUT_SIGN = np.uint32(0x7FFFFFFF)
_WIDE = 4096
_STRIDE = 16


def kept_count(width: int, keep: float) -> int:
    """Return ⌈r·X⌉, with r taken as the decimal number written in the config."""
    return ceil(as_written(keep) * width)


def kept_positions(values: np.ndarray, count: int) -> np.ndarray:
    """Return where the `count` largest magnitudes of each vector are.

    Args:
        values: (..., X) finite float32.
        count: 1 to X.

    Returns:
        (..., count) int64 positions, increasing. Among equal magnitudes the first ones are kept.
    """
    width = values.shape[-1]
    # The bits of a float without its sign order as its magnitude does.
    magnitudes = values.reshape(-1, width).view(np.uint32) & _WITHOUT_SIGN
    if width < _WIDE or count > width // 8:
        positions = _kept_of_rows(magnitudes, count)
    else:
        positions = np.stack([_kept_of_wide(row, count) for row in magnitudes])
    return positions.reshape(*values.shape[:-1], count)


def top_mask(magnitudes: np.ndarray, count: int) -> np.ndarray:
    """Return where the `count` largest of each row (n, X) of whole numbers are, as booleans (n, X).

    Among equal ones the first are taken. `count` is 1 to X.
    """
    width = magnitudes.shape[1]
    threshold = np.partition(magnitudes, width - count, axis=1)[:, width - count, None]
    kept = magnitudes >= threshold
    if np.count_nonzero(kept) > count * len(kept):
        _drop_last_ties(kept, magnitudes > threshold, count)
    return kept


def _kept_of_rows(magnitudes: np.ndarray, count: int) -> np.ndarray:
    """Return the kept positions of rows (n, X), searching every element."""
    rows, width = magnitudes.shape
    kept = np.flatnonzero(top_mask(magnitudes, count))
    return kept.reshape(-1, count) - width * np.arange(rows)[:, None]


def _kept_of_wide(row: np.ndarray, count: int) -> np.ndarray:
    """Return the kept positions of one row (X,) of which few are wanted.

    A sample says below which value not to look, which for a gradient is several times faster.
    Where the sample misleads, the whole row is searched.
    """
    sample = np.ascontiguousarray(row[::_STRIDE])
    share = count / _STRIDE
    rank = len(sample) - int(share + 4 * share**0.5 + 2)
    candidates = np.flatnonzero(row >= np.partition(sample, rank)[rank])
    if len(candidates) < count:
        candidates = np.arange(len(row))
    return candidates[_kept_of_rows(row[candidates][None], count)[0]]


def _drop_last_ties(kept: np.ndarray, above: np.ndarray, count: int) -> None:
    """Leave `count` ones in each row of `kept`: those in `above`, and of the others the first."""
    crowded = np.flatnonzero(np.count_nonzero(kept, axis=1) > count)
    above = above[crowded]
    tied = kept[crowded] & ~above
    room = count - np.count_nonzero(above, axis=1, keepdims=True)
    kept[crowded] = above | (tied & (np.cumsum(tied, axis=1) <= room))


def select(values: np.ndarray, keep: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions and the values that S_r keeps, both (..., count)."""
    width = values.shape[-1]
    count = kept_count(width, keep)
    if count == width:
        return np.broadcast_to(np.arange(width), values.shape), values
    positions = kept_positions(values, count)
    return positions, np.take_along_axis(values, positions, axis=-1)


def scatter(kept: np.ndarray, positions: np.ndarray, width: int) -> np.ndarray:
    """Return (..., width) vectors with `kept` (..., count) at `positions` and zeros elsewhere."""
    values = np.zeros((*kept.shape[:-1], width), dtype=np.float32)
    np.put_along_axis(values, positions, kept, axis=-1)
    return values
