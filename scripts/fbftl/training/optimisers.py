"""Optimisers by name, for those who start one anew at every client and round, and falling rates.

SGD, Adam, AdamW and Adadelta are torch's functional form of them: its classes import torch's
compiler when the first one is made, which takes longer than to train a small head. Their steps are
elementwise, so stacked models step as each would alone. AdamW is for language models, which begin
once and tell each step's rate.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import cos, pi
from typing import Protocol

import torch
from torch import Tensor
from torch.optim.adadelta import adadelta
from torch.optim.adam import adam
from torch.optim.sgd import sgd

from fbftl.study.job import FineTuning, Training

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


def cosine(rounds: int) -> Callable[[int], float]:
    """Return the factor of the learning rate in a round, from 1 down to nearly 0."""
    return lambda round_number: (1 + cos(pi * (round_number - 1) / rounds)) / 2


def steps(rounds: int) -> Callable[[int], float]:
    """Return the factor of the learning rate in a round: 1, then 0.1, then 0.01.

    It falls after three and after five eighths of the rounds, as after 150 and 250 of the 400 that
    Split-Mix has on CIFAR-10 (paper thesis, App. C.1).
    """
    return lambda round_number: 0.1 ** sum(8 * (round_number - 1) >= n * rounds for n in (3, 5))


ANNEALING = {"cosine": cosine, "steps": steps}
"""By its name; rounds are those of local epochs, or epochs of a server."""


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
