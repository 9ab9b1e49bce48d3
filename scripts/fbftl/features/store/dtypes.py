"""Storage dtypes of features: float32 as computed, or float16/bfloat16 at half the size.

Zarr v3 has no core bfloat16, so its bits are stored as uint16 and readers widen them. Both short
formats round to nearest even; the relative error of a normal number is at most

    float16   2**-11 (4.9e-4), largest value 65,504, absolute error below 6.1e-5: at most 3.0e-8
    bfloat16  2**-8  (3.9e-3), range of float32
"""

import numpy as np

from fbftl.ground.errors import UserError

STORED_AS = {"float32": "float32", "float16": "float16", "bfloat16": "uint16"}
"""Feature dtype -> dtype of the Zarr array that holds it."""


def storage_dtype(dtype: str) -> np.dtype:
    """Return the NumPy dtype that holds features of `dtype` on disk.

    Raises:
        UserError: if `dtype` is none of float32, float16, bfloat16.
    """
    if dtype not in STORED_AS:
        raise UserError(
            f"Feature dtype {dtype!r} is unknown: choose one of {', '.join(STORED_AS)}."
        )
    return np.dtype(STORED_AS[dtype])


def to_storage(values: np.ndarray, dtype: str) -> np.ndarray:
    """Round float32 features to their storage dtype.

    Raises:
        UserError: if a finite value overflows float16.
    """
    values = np.ascontiguousarray(values, dtype=np.float32)
    if dtype == "float16":
        with np.errstate(over="ignore"):
            short = values.astype(np.float16)
        if np.any(np.isinf(short) & np.isfinite(values)):
            largest = float(np.abs(values[np.isfinite(values)]).max())
            raise UserError(
                f"A feature of {largest:g} does not fit float16 (at most 65504): "
                "store these features as bfloat16 or float32."
            )
        return short
    if dtype == "bfloat16":
        return _bfloat16_bits(values)
    return values


def from_storage(stored: np.ndarray, dtype: str) -> np.ndarray:
    """Widen stored features to float32; exact for every storage dtype."""
    if dtype == "bfloat16":
        return (stored.astype(np.uint32) << 16).view(np.float32)
    return stored.astype(np.float32, copy=False)


def _bfloat16_bits(values: np.ndarray) -> np.ndarray:
    """Return the upper 16 bits of float32, rounded to nearest even; NaN stays NaN."""
    bits = values.view(np.uint32)
    rounding = 0x7FFF + ((bits >> 16) & 1)
    with np.errstate(over="ignore"):
        rounded = ((bits + rounding) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)
