"""Optimisers by name, for those who start one anew at every client and round.

Like SGD (`training/sgd.py`), Adam, AdamW and Adadelta are torch's functional form of them: the
classes import torch's compiler. Their steps are elementwise, so stacked models step as each would
alone. AdamW stands beside them for language models, which begin once and tell each step's rate.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import torch
from torch import Tensor
from torch.optim.adadelta import adadelta
from torch.optim.adam import adam

from fbftl.study.job import Training
from fbftl.training.sgd import Sgd, StackedSgd


class Optimiser(Protocol):
    """Updates parameters in place."""

    parameters: list[Tensor]

    def step(self, gradients: Sequence[Tensor]) -> None:
        """Take one step; gradients are contiguous, one per parameter."""


class _Moments:
    """Running means of gradients and of their squares, from which Adam and AdamW step.

    Args:
        parameters: contiguous tensors on one device.
        weight_decay: of the gradients, or of the weights themselves.
        decoupled: whether it is of the weights.
    """

    def __init__(self, parameters: Sequence[Tensor], weight_decay: float, decoupled: bool) -> None:
        self.parameters = list(parameters)
        self._weight_decay, self._decoupled = weight_decay, decoupled
        self._means = [torch.zeros_like(parameter) for parameter in self.parameters]
        self._squares = [torch.zeros_like(parameter) for parameter in self.parameters]
        self._steps = [parameter.new_zeros(()) for parameter in self.parameters]

    @torch.no_grad()
    def step(self, gradients: Sequence[Tensor], learning_rate: float) -> None:
        """Take one step."""
        adam(
            self.parameters,
            list(gradients),
            self._means,
            self._squares,
            [],
            self._steps,
            fused=True,
            foreach=False,
            decoupled_weight_decay=self._decoupled,
            amsgrad=False,
            beta1=0.9,
            beta2=0.999,
            lr=learning_rate,
            weight_decay=self._weight_decay,
            eps=1e-8,
            maximize=False,
        )


class Adam:
    """Adam (Kingma & Ba 2015) with torch's defaults but the learning rate and weight decay.

    Args:
        parameters: contiguous tensors on one device.
        training: learning rate, weight decay.
    """

    def __init__(self, parameters: Sequence[Tensor], training: Training) -> None:
        self._moments = _Moments(parameters, training.weight_decay, decoupled=False)
        self.parameters, self._rate = self._moments.parameters, training.learning_rate

    def step(self, gradients: Sequence[Tensor]) -> None:
        """Take one step."""
        self._moments.step(gradients, self._rate)


class AdamW:
    """AdamW (Loshchilov & Hutter 2019) with torch's defaults, at a rate told with each step.

    Args:
        parameters: contiguous tensors on one device.
        weight_decay: of the weights themselves, times the learning rate.
    """

    def __init__(self, parameters: Sequence[Tensor], weight_decay: float) -> None:
        self._moments = _Moments(parameters, weight_decay, decoupled=True)

    def step(self, gradients: Sequence[Tensor], learning_rate: float) -> None:
        """Take one step."""
        self._moments.step(gradients, learning_rate)


class Adadelta:
    """Adadelta (Zeiler 2012) with torch's defaults but the learning rate and weight decay.

    Args:
        parameters: contiguous tensors on one device.
        training: learning rate, weight decay.
    """

    def __init__(self, parameters: Sequence[Tensor], training: Training) -> None:
        self.parameters, self._training = list(parameters), training
        self._squares = [torch.zeros_like(parameter) for parameter in self.parameters]
        self._changes = [torch.zeros_like(parameter) for parameter in self.parameters]
        self._steps = [parameter.new_zeros(()) for parameter in self.parameters]

    @torch.no_grad()
    def step(self, gradients: Sequence[Tensor]) -> None:
        """Take one step."""
        adadelta(
            self.parameters,
            list(gradients),
            self._squares,
            self._changes,
            self._steps,
            foreach=False,
            lr=self._training.learning_rate,
            rho=0.9,
            eps=1e-6,
            weight_decay=self._training.weight_decay,
            maximize=False,
        )


@dataclass(frozen=True)
class Beginning:
    """How an optimiser begins: for one model, and for stacked ones."""

    alone: Callable[[Sequence[Tensor], Training], Optimiser]
    stacked: Callable[[Sequence[Tensor], Training], Optimiser]


OPTIMISERS = {
    "sgd": Beginning(Sgd, StackedSgd),
    "nesterov": Beginning(partial(Sgd, nesterov=True), partial(StackedSgd, nesterov=True)),
    "adam": Beginning(Adam, Adam),
    "adadelta": Beginning(Adadelta, Adadelta),
}
"""Every optimiser by its name; SGD has the momentum that it is given, plain or Nesterov's."""
