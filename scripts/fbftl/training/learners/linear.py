"""What a linear head is worth that was not trained but solved."""

import torch

from fbftl.models.modes import digest
from fbftl.training.closed_form import LinearHead
from fbftl.training.curves import RIGHT, packed
from fbftl.training.tasks.task import LabelledFeatures, Score


def score_of_linear(held: LabelledFeatures, head: LinearHead) -> Score:
    """Return a head's accuracy on the test split, the one point of its curve."""
    test = held.test.inputs.cpu().numpy(), held.test.labels.cpu().numpy()
    right = head.right(*test)
    accuracy = float(right.mean())
    return Score(
        {
            "epoch": 1,
            "test_accuracy": accuracy,
            "test_accuracy_best": accuracy,
            "diverged": False,
            "models": [digest(map(torch.from_numpy, (head.weights, head.bias)))],
            "series": {"test_accuracy": [accuracy]},
            RIGHT: packed(right),
        }
    )
