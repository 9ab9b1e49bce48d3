"""Open data of a task with images, which everybody may read (see `data.public`)."""

from pathlib import Path

import numpy as np
import torch

from fbftl.data.clients import ClientFile
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.ground.errors import UserError, required
from fbftl.training.samples import LabelledInputs
from fbftl.training.tasks.task import ClientSamples


def open_samples(client_data: ClientSamples, part: str) -> LabelledInputs:
    """Return a part of a task's open data, as its clients' samples are read."""
    inputs = client_data.target.inputs
    return open_part(required(inputs.open_data), part, client_data.preprocessing, inputs.device)


def open_part(
    path: Path, part: str, preprocessing: Preprocessing, device: torch.device
) -> LabelledInputs:
    """Return one part of a task's open data, preprocessed, on the training device.

    Raises:
        UserError: if the task has no such part.
    """
    with ClientFile(path) as file:
        if part not in file.splits:
            key = {"source": "letters", "target": "target"}[part]
            raise UserError(f"{path} holds no open data of the {part}; give the task's open.{key}")
        batch = file.rows(part, 0, file.count(part))
    pixels = torch.from_numpy(np.ascontiguousarray(batch.arrays["pixels"]))
    labels = torch.from_numpy(np.asarray(batch.arrays["label"], dtype=np.int64))
    return LabelledInputs(preprocess(pixels, preprocessing).to(device), labels.to(device))
