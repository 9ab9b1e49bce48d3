"""Images of which a few at a time become a network's input."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.training.samples import LabelledInputs

SMALL = 2**26
"""Bytes of a network's inputs up to which all of them are kept."""


@dataclass(frozen=True, eq=False)
class Pictures:
    """Images as they are stored, preprocessed round by round: `training.network.LabelledSamples`.

    What a network takes may be a hundred times as large as what is stored. Where it is small, all
    images are preprocessed once.

    pixels: (n, height, width, channels).
    labels: (n,) on the training device.
    preprocessing: from pixels to the network's input.
    domain: (n,) domain of each; None if the task has one only.
    """

    pixels: np.ndarray
    labels: Tensor
    preprocessing: Preprocessing
    domain: np.ndarray | None = None

    def at(self, rows: np.ndarray) -> LabelledInputs:
        """Return some rows; the shape of `rows` takes the place of n."""
        labels = self.labels[torch.from_numpy(rows).to(self.labels.device)]
        if self._all is not None:
            return LabelledInputs(self._all[torch.from_numpy(rows).to(self._all.device)], labels)
        # Clients with few samples are padded with the same row.
        distinct, places = np.unique(rows, return_inverse=True)
        of_rows = torch.from_numpy(places.reshape(rows.shape)).to(labels.device)
        return LabelledInputs(self._ready(distinct)[of_rows], labels)

    @cached_property
    def _all(self) -> Tensor | None:
        """The network's inputs of all images, None if they are not small."""
        image = self._ready(np.zeros(1, dtype=np.int64))
        whole = len(self.pixels) * image.numel() * image.element_size()
        return self._ready(np.arange(len(self.pixels))) if whole <= SMALL else None

    def _ready(self, rows: np.ndarray) -> Tensor:
        """Return the network's inputs of some images."""
        pixels = torch.from_numpy(self.pixels[rows]).to(self.labels.device)
        return preprocess(pixels, self.preprocessing)
