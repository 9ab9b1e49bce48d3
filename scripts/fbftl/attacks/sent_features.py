"""Membership in features that clients send: is a sample among those whose features were sent?

Whoever sees a client's message has its extractor too, for its weights go in clear, and so computes
any sample's features. A sample whose features were sent lies near one of the messages; how near the
others lie depends on how the extractor moved since and on the noise.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

ROWS_AT_ONCE = 512
"""Candidates whose distances are computed at once; bounds memory."""


def nearest(candidates: ArrayLike, sent: ArrayLike) -> NDArray[np.float64]:
    """Return each candidate's squared distance to the nearest features that were sent, (m,).

    Args:
        candidates: (m, d) features that the adversary computes.
        sent: (n, d) features that were sent, at least one.
    """
    references = np.asarray(sent, dtype=np.float64)
    lengths = (references**2).sum(1)
    rows = np.asarray(candidates, dtype=np.float64)
    distances = []
    for first in range(0, len(rows), ROWS_AT_ONCE):
        batch = rows[first : first + ROWS_AT_ONCE]
        squares = (batch**2).sum(1)[:, None] + lengths - 2 * batch @ references.T
        distances.append(squares.min(axis=1).clip(min=0))
    return np.concatenate(distances)
