"""Two batch normalisations in the place of one: for clean inputs, and for adversarial ones.

Clean and adversarial inputs have different statistics (Xie et al. 2020). All other weights are
shared (paper thesis, Sec. 4.4.2), and a test may mix the two, Eq. (4.2). There each has the
statistics of inputs of its own kind (`measured`): by those of the batch at hand, the two would be
nearly one.
"""

import copy
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.modules.batchnorm import _BatchNorm

Moments = tuple[Tensor, Tensor]
"""Mean and variance of each channel, (C,) each."""

Statistics = Sequence[tuple[Moments, Moments]]
"""Of every doubled normalisation in turn, of clean inputs and of adversarial ones."""


class DualBatchNorm(nn.Module):
    """Normalises the first half of a batch as clean inputs, the second as adversarial ones.

    Args:
        norm: of the clean inputs, by the statistics of the batch; the other begins as a copy of it.
        separate: whether adversarial inputs have a normalisation of their own.
    """

    def __init__(self, norm: _BatchNorm, separate: bool = True) -> None:
        super().__init__()
        self.clean = norm
        self.adversarial = copy.deepcopy(norm) if separate else norm
        self.share: float | None = None
        self.moments: tuple[Moments, Moments] | None = None

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the halves of a batch normalised apart, or all of it by a mixture of both."""
        if self.share is None:
            clean, adversarial = inputs.chunk(2)
            return torch.cat([self.clean(clean), self.adversarial(adversarial)])
        clean_moments, adversarial_moments = self.moments or (None, None)
        if self.share == 1:
            return _normalised(self.adversarial, inputs, adversarial_moments)
        if self.share == 0:
            return _normalised(self.clean, inputs, clean_moments)
        return (1 - self.share) * _normalised(self.clean, inputs, clean_moments) + (
            self.share * _normalised(self.adversarial, inputs, adversarial_moments)
        )


def _normalised(norm: _BatchNorm, inputs: Tensor, moments: Moments | None) -> Tensor:
    """Return inputs normalised by these moments, without any by their own."""
    if moments is None:
        return norm(inputs)
    return functional.batch_norm(inputs, *moments, norm.weight, norm.bias, eps=norm.eps)


def doubled(network: nn.Sequential, separate: bool) -> nn.Sequential:
    """Return a network with every batch normalisation doubled; its other layers are the same.

    Args:
        network: flat, of named layers.
        separate: whether adversarial inputs have normalisations of their own.
    """
    layers = [
        (name, DualBatchNorm(layer, separate) if isinstance(layer, _BatchNorm) else layer)
        for name, layer in network.named_children()
    ]
    return nn.Sequential(OrderedDict(layers))


@contextmanager
def mixed(
    network: nn.Module, share: float, statistics: Statistics | None = None
) -> Iterator[nn.Module]:
    """Let a network normalise whole batches in the block by a mixture of clean and adversarial.

    Args:
        network: with doubled normalisations.
        share: lambda, of the adversarial inputs' normalisation.
        statistics: those it normalises by; None for those of the batch at hand.
    """
    norms = _norms(network)
    for index, norm in enumerate(norms):
        norm.share, norm.moments = share, statistics[index] if statistics else None
    try:
        yield network
    finally:
        for norm in norms:
            norm.share = norm.moments = None


@torch.no_grad()
def measured(
    network: nn.Module, clean: Tensor, adversarial: Tensor, weight: float = 0.5
) -> Statistics:
    """Return every doubled normalisation's statistics of as many clean and adversarial inputs.

    Where both kinds share one, each counts by its weight in the loss, so that plain FedAvg is
    tested under the statistics of clean inputs alone, as it was trained.

    Args:
        network: with doubled normalisations.
        clean: inputs.
        adversarial: as many.
        weight: of the loss on adversarial inputs, from 0 to 1.
    """
    statistics: list[tuple[Moments, Moments]] = []

    def look(norm: DualBatchNorm, arguments: tuple[Tensor]) -> None:
        clean_half, adversarial_half = (_moments(half) for half in arguments[0].chunk(2))
        if norm.clean is norm.adversarial:
            mean, variance = (
                (1 - weight) * of_clean + weight * of_adversarial
                for of_clean, of_adversarial in zip(clean_half, adversarial_half, strict=True)
            )
            clean_half = adversarial_half = mean, variance
        statistics.append((clean_half, adversarial_half))

    hooks = [norm.register_forward_pre_hook(look) for norm in _norms(network)]
    try:
        network(torch.cat([clean, adversarial]))
    finally:
        for hook in hooks:
            hook.remove()
    return statistics


def _moments(values: Tensor) -> Moments:
    variance, mean = torch.var_mean(values.transpose(0, 1).flatten(1), 1, correction=0)
    return mean, variance


def _norms(network: nn.Module) -> list[DualBatchNorm]:
    return [layer for layer in network.modules() if isinstance(layer, DualBatchNorm)]
