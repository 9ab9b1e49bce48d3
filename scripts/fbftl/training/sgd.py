"""Plain SGD with momentum, for jobs that last hardly longer than their start.

torch's functional form of it: the class `torch.optim.SGD` imports torch's compiler when the first
one is made, and that takes longer than to train a small head.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.optim.sgd import sgd

from fbftl.study.job import Training

LANES = 16
"""Numbers that the fused kernel takes at a time at most on a CPU; it rounds the rest otherwise."""


class Sgd:
    """Updates parameters in place, all of them in one call, at `rate` times the learning rate.

    Args:
        parameters: contiguous tensors on one device.
        training: learning rate, momentum, weight decay.
        fused: one pass over each tensor instead of four, which pays for large ones.
        nesterov: whether momentum is Nesterov's.
    """

    def __init__(
        self,
        parameters: Sequence[Tensor],
        training: Training,
        fused: bool = True,
        nesterov: bool = False,
    ) -> None:
        self.parameters = list(parameters)
        self._training = training
        self._fused, self._nesterov = fused, nesterov
        self.rate = 1.0
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
            fused=self._fused,
            foreach=False,
            lr=self.rate * self._training.learning_rate,
            momentum=self._training.momentum,
            weight_decay=self._training.weight_decay,
            dampening=0,
            nesterov=self._nesterov,
            maximize=False,
        )


class StackedSgd:
    """Updates stacked models, each with the numbers that it would have alone.

    Args:
        parameters: contiguous tensors on one device, whose first axis counts the models.
        training: learning rate, momentum, weight decay.
        nesterov: whether momentum is Nesterov's.
    """

    def __init__(
        self, parameters: Sequence[Tensor], training: Training, nesterov: bool = False
    ) -> None:
        self.parameters = list(parameters)
        # Where one model's share fills the lanes, no number is ever left over; a GPU has none.
        fills = [
            parameter.is_cuda or parameter[0].numel() % LANES == 0 for parameter in self.parameters
        ]
        self._parts = [
            (fused, Sgd(_where(fills, fused, self.parameters), training, fused, nesterov))
            for fused in set(fills)
        ]
        self._fills = fills

    def anneal(self, rate: float) -> None:
        """Take further steps at a share of the learning rate."""
        for _, part in self._parts:
            part.rate = rate

    def step(self, gradients: Sequence[Tensor]) -> None:
        """Take one step.

        Args:
            gradients: contiguous, one per parameter.
        """
        for fused, part in self._parts:
            part.step(_where(self._fills, fused, gradients))


def _where(fills: Sequence[bool], wanted: bool, tensors: Sequence[Tensor]) -> list[Tensor]:
    return [tensor for tensor, fill in zip(tensors, fills, strict=True) if fill == wanted]
