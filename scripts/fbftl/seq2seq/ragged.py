"""Sequences of unequal length, kept flat: all tokens in one tensor, and where each row begins."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class Ragged:
    """Rows of unequal length.

    Attributes:
        values: all tokens, [tokens] ids (int64) or [tokens, width] features (float32).
        offsets: row i is ``values[offsets[i]:offsets[i + 1]]``; int64 [rows + 1].
    """

    values: Tensor
    offsets: Tensor

    @classmethod
    def of(cls, rows: Sequence[np.ndarray]) -> Self:
        """Return the rows laid end to end; every row has at least one token."""
        lengths = [len(row) for row in rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(torch.from_numpy(np.concatenate(rows)), torch.from_numpy(offsets))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Tokens in each row, int64 [rows]."""
        return self.offsets.diff().cpu().numpy()

    def to(self, device: torch.device) -> "Ragged":
        """Return the same rows on another device."""
        return Ragged(self.values.to(device), self.offsets.to(device))

    def padded(self, rows: np.ndarray) -> tuple[Tensor, Tensor]:
        """Return the named rows side by side, and where a token is.

        Returns:
            values [len(rows), longest] or [len(rows), longest, width], zero where nothing is, and
            a mask [len(rows), longest], true at tokens.
        """
        index = torch.as_tensor(rows, device=self.offsets.device)
        start, stop = self.offsets[index], self.offsets[index + 1]
        longest = int((stop - start).max())
        place = start[:, None] + torch.arange(longest, device=start.device)
        mask = place < stop[:, None]
        values = self.values[place.clamp(max=len(self.values) - 1)]
        return values * (mask if values.dim() == 2 else mask[..., None]), mask
