"""A task with validation samples in the place of its test split, for whoever chooses a setting."""

import numpy as np

from fbftl.data.participation import LEAST_HELD_OUT, held_out
from fbftl.ground.errors import UserError
from fbftl.tasks.task import ClientSamples

SHARE = 0.2
"""Of the samples, held out."""


def apart(samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return training rows and validation rows of so many samples.

    Raises:
        UserError: if they are too few to choose by.
    """
    training, validation = held_out(np.arange(samples), SHARE, seed)
    if not len(validation):
        raise UserError(
            f"a fifth of {samples} samples is to be held out to choose a setting by, which needs "
            f"{LEAST_HELD_OUT}; give the task at least {round(LEAST_HELD_OUT / SHARE)}"
        )
    return training, validation


def validated(client_data: ClientSamples, seed: int) -> ClientSamples:
    """Return what clients hold without a random fifth of it, which stands for the test split.

    Whatever is measured on it knows nothing of the task's own test samples.

    Args:
        client_data: what they hold.
        seed: of the draw.

    Raises:
        UserError: if it is too little.
    """
    return client_data.validated_on(*apart(len(client_data.samples.labels), seed))
