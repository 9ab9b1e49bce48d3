"""Images of which a few at a time become a network's input."""

from dataclasses import dataclass

import numpy as np
import torch

from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.training.network import LabelledInputs


@dataclass(frozen=True, eq=False)
class Pictures:
    """Images as they are stored, preprocessed round by round: `training.network.LabelledSamples`.

    What a network takes may be a hundred times as large as what is stored.

    pixels: (n, height, width, channels).
    labels: (n,) on the training device.
    preprocessing: from pixels to the network's input.
    domain: (n,) domain of each; None if the task has one only.
    """

    pixels: np.ndarray
    labels: torch.Tensor
    preprocessing: Preprocessing
    domain: np.ndarray | None = None

    def at(self, rows: np.ndarray) -> LabelledInputs:
        """Return some rows; the shape of `rows` takes the place of n."""
        device = self.labels.device
        # Clients with few samples are padded with the same row.
        distinct, places = np.unique(rows, return_inverse=True)
        inputs = preprocess(torch.from_numpy(self.pixels[distinct]).to(device), self.preprocessing)
        of_rows = torch.from_numpy(places.reshape(rows.shape)).to(device)
        return LabelledInputs(inputs[of_rows], self.labels[torch.from_numpy(rows).to(device)])
