"""Optimisers by name, for those who start one anew at every client and round.

Like SGD (`training/sgd.py`), Adam, AdamW and Adadelta are torch's functional form of them: the
classes import torch's compiler. Their steps are elementwise, so stacked models step as each would
alone. AdamW is for language models, which begin once and tell each step's rate.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import torch
from torch import Tensor
from torch.optim.adadelta import adadelta
from torch.optim.adam import adam

from fbftl.study.job import FineTuning, Training
from fbftl.training.sgd import Sgd, StackedSgd


class Optimiser(Protocol):
    """Updates parameters in place."""

    parameters: list[Tensor]

    def step(self, gradients: Sequence[Tensor]) -> None:
        """Take one step; gradients are contiguous, one per parameter."""


class Adam:
    """Adam (Kingma & Ba 2015), or AdamW (Loshchilov & Hutter 2019), else with torch's defaults.

    Args:
        parameters: contiguous tensors on one device.
        training: learning rate, weight decay.
        decoupled: whether the weight decay is of the weights themselves, as AdamW's.
    """

    def __init__(
        self, parameters: Sequence[Tensor], training: Training | FineTuning, decoupled: bool = False
    ) -> None:
        self.parameters, self._training = list(parameters), training
        self._decoupled = decoupled
        self._means = [torch.zeros_like(parameter) for parameter in self.parameters]
        self._squares = [torch.zeros_like(parameter) for parameter in self.parameters]
        self._steps = [parameter.new_zeros(()) for parameter in self.parameters]

    @torch.no_grad()
    def step(self, gradients: Sequence[Tensor], learning_rate: float | None = None) -> None:
        """Take one step, at the learning rate of the training if none is told."""
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
            lr=self._training.learning_rate if learning_rate is None else learning_rate,
            weight_decay=self._training.weight_decay,
            eps=1e-8,
            maximize=False,
        )


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
