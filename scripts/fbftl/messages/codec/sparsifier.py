"""S_r: keep the elements with the largest magnitudes, zero the others (paper Sec. IV-C)."""

from math import ceil

import numpy as np

from fbftl.ground.floats import as_written

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
