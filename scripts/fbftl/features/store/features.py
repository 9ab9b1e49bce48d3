"""Rows of a store in memory."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Features:
    """Rows of one split.

    values: (n, width) float32; of ragged features (total, width), see `offsets`.
    labels: (n,); of ragged labels (total,), see `label_offsets`.
    client: (n,) int32 number of the client that uploaded the row.
    sample: (n,) int64 number of the sample in the data set.
    domain: (n,) int32 domain that the client sees the sample in; None if there is one only.
    offsets: (n + 1,) int64; row i is ``values[offsets[i]:offsets[i + 1]]``. None if not ragged.
    label_offsets: (n + 1,) int64; as `offsets`, of the labels. None if they are not ragged.
    tokens: (total,) input token ids beside the features, or None.
    token_offsets: the offsets of `tokens`.
    """

    values: np.ndarray
    labels: np.ndarray
    client: np.ndarray
    sample: np.ndarray
    domain: np.ndarray | None = None
    offsets: np.ndarray | None = None
    label_offsets: np.ndarray | None = None
    tokens: np.ndarray | None = None
    token_offsets: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.client)
