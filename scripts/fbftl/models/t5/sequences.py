"""Sequences of unequal length: all tokens end to end, and padded batches made from them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class Sequences:
    """Rows of unequal length on a device.

    values: all tokens, [tokens] ids (int64) or [tokens, width] features (float32).
    offsets: row i is ``values[offsets[i]:offsets[i + 1]]``; int64 [rows + 1], on the host.
    """

    values: Tensor
    offsets: np.ndarray

    @classmethod
    def of(cls, rows: Sequence[np.ndarray]) -> "Sequences":
        """Return the rows laid end to end; every row has at least one token."""
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        return cls(torch.from_numpy(np.concatenate(rows)), offsets)

    @classmethod
    def flat(cls, values: np.ndarray, offsets: np.ndarray) -> "Sequences":
        """Return rows that already lie end to end, e.g. in the feature store."""
        return cls(torch.from_numpy(values), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Tokens in each row, int64 [rows]."""
        return np.diff(self.offsets)

    def to(self, device: torch.device | str) -> "Sequences":
        """Return these rows on another device."""
        return Sequences(self.values.to(device), self.offsets)

    def padded(self, rows: np.ndarray) -> tuple[Tensor, Tensor]:
        """Return the named rows side by side, and where a token is.

        Returns:
            values [len(rows), longest] or [len(rows), longest, width], zero where no token is, and
            a mask [len(rows), longest], true where one is.
        """
        start, stop = self.offsets[rows], self.offsets[rows + 1]
        places = start[:, None] + np.arange((stop - start).max())
        present = places < stop[:, None]
        index = torch.from_numpy(np.where(present, places, 0)).to(self.values.device)
        mask = torch.from_numpy(present).to(self.values.device)
        values = self.values[index]
        return values * (mask if values.dim() == 2 else mask[..., None]), mask
