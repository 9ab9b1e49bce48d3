"""What a linear head is worth that was not trained but solved."""

import torch

from fbftl.models.digest import digest
from fbftl.training.closed_form import LinearHead
from fbftl.training.curves import record_of_one
from fbftl.training.tasks.task import LabelledFeatures, Score


def score_of_linear(held: LabelledFeatures, head: LinearHead) -> Score:
    """Return a head's accuracy on the test split, the one point of its curve."""
    test = held.test.inputs.cpu().numpy(), held.test.labels.cpu().numpy()
    model = digest(map(torch.from_numpy, (head.weights, head.bias)))
    return Score(record_of_one(head.right(*test), model))
