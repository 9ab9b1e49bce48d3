"""Q_q: uniform quantisation to 2^q levels between a vector's minimum and maximum."""

from dataclasses import dataclass

import numpy as np

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
