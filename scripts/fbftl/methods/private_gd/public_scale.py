"""Inputs brought into shape by public statistics, which cost the private samples nothing.

Centre, spread, principal components and the largest norm come from public samples alone. What is
then done to a private row looks at no other row.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fbftl.ground.errors import UserError
from fbftl.privacy.noise import clip_rows, row_norms

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class PublicScale:
    """An affine map of inputs (n, d) to (n, k), then a bound on their length.

    centre: (d,) subtracted.
    map: (d, k) that the rest is multiplied by.
    norm: L2 norm that no row exceeds afterwards.
    """

    centre: NDArray[np.float64]
    map: NDArray[np.float64]
    norm: float

    def __call__(self, inputs: Floats) -> Floats:
        """Return inputs (n, d) as they are trained on, (n, k)."""
        mapped = ((inputs - self.centre) @ self.map).astype(np.float32)
        return clip_rows(mapped, self.norm)


def public_scale(public: Floats, norm: float, components: int | None = None) -> PublicScale:
    """Return the scale that centres public samples, gives them unit spread and a largest norm.

    Args:
        public: (m, d) inputs of public samples.
        norm: L2 norm of the longest of them afterwards.
        components: principal components that are kept, first of all; None keeps all numbers.

    Raises:
        UserError: if there are fewer numbers or samples than components.
    """
    rows = np.asarray(public, dtype=np.float64)
    centre = rows.mean(axis=0)
    rows = rows - centre
    if components is None:
        map_ = np.eye(rows.shape[1])
    else:
        if components > min(rows.shape):
            raise UserError(
                f"privacy.public_scale.components is {components}, but there are {len(rows)} "
                f"public samples of {rows.shape[1]} numbers; give at most {min(rows.shape)}"
            )
        map_ = np.linalg.svd(rows, full_matrices=False)[2][:components].T
    spread = (rows @ map_).std(axis=0)
    # What no public sample ever moves in says nothing of a scale.
    map_ = map_ / np.where(spread > 0, spread, 1.0)
    return PublicScale(centre, map_ * (norm / row_norms(rows @ map_).max()), norm)
