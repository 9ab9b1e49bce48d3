"""Plain SGD with momentum, for jobs that last hardly longer than their start.

torch's functional form of it: the class `torch.optim.SGD` imports torch's compiler when the first
one is made, and that takes longer than to train a small head (docs/performance.md).
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.optim.sgd import sgd

from fbftl.job import Training


class Sgd:
    """Updates parameters in place, all of them in one call.

    Args:
        parameters: contiguous tensors on one device.
        training: learning rate, momentum, weight decay.
    """

    def __init__(self, parameters: Sequence[Tensor], training: Training) -> None:
        self.parameters = list(parameters)
        self._training = training
        self._velocities: list[Tensor | None] = [None] * len(self.parameters)

    @torch.no_grad()
    def step(self, gradients: Sequence[Tensor]) -> None:
        """Take one step.

        Args:
            gradients: contiguous, one per parameter.
        """
        sgd(
            self.parameters,
            list(gradients),
            self._velocities,
            fused=True,
            lr=self._training.learning_rate,
            momentum=self._training.momentum,
            weight_decay=self._training.weight_decay,
            dampening=0,
            nesterov=False,
            maximize=False,
        )
