"""The server's task heads: one multi-layer perceptron per setting and seed, stepped together.

Their weights are stacked along a first axis, so that one batched matrix product serves them all;
each head's numbers are those it would have alone.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.ground.randomness import torch_seed


@dataclass
class Head:
    """Stacked weights of H perceptrons with ReLU between layers.

    Layer m computes x W_m + b_m with W_m of shape (H, N_m^-, N_m^+) and b_m (H, 1, N_m^+).
    """

    weights: list[Tensor]
    biases: list[Tensor]

    def __call__(self, x: Tensor) -> Tensor:
        """Return logits (H, B, classes) of inputs (H, B, width)."""
        *hidden, last = zip(self.weights, self.biases, strict=True)
        for weight, bias in hidden:
            x = torch.relu(torch.baddbmm(bias, x, weight))
        weight, bias = last
        return torch.baddbmm(bias, x, weight)

    def __len__(self) -> int:
        """Return H."""
        return len(self.weights[0])

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.weights[0].device

    def at(self, places: slice) -> "Head":
        """Return the heads at some places of the stack, still stacked."""
        return Head([w[places] for w in self.weights], [b[places] for b in self.biases])

    def parameters(self) -> list[Tensor]:
        """Return all tensors, weights and biases alternating."""
        return [p for pair in zip(self.weights, self.biases, strict=True) for p in pair]

    @torch.no_grad()
    def flat(self) -> Tensor:
        """Return each one's numbers (H, X) as torch's dense layers order them."""
        pairs = zip(self.weights, self.biases, strict=True)
        parts = [part for w, b in pairs for part in (w.transpose(1, 2).flatten(1), b.flatten(1))]
        return torch.cat(parts, dim=1)

    @torch.no_grad()
    def fill(self, numbers: Tensor) -> None:
        """Take over numbers (H, X) in the order of `flat`."""
        at = 0
        for weight, bias in zip(self.weights, self.biases, strict=True):
            inputs, outputs = weight.shape[1:]
            between = at + inputs * outputs
            weight.copy_(numbers[:, at:between].unflatten(1, (outputs, inputs)).transpose(1, 2))
            at = between + outputs
            bias.copy_(numbers[:, None, between:at])


def layers(widths: Sequence[int], seed: int) -> list[tuple[Tensor, Tensor]]:
    """Draw one head's layers, each (weight (N^-, N^+), bias (N^+,)), as torch's Linear does.

    Args:
        widths: input, hidden and output widths.
        seed: the repetition's seed; every method starts from the same head.
    """
    generator = torch.Generator().manual_seed(torch_seed(seed, "head"))
    initial = []
    for inputs, outputs in pairwise(widths):
        bound = inputs**-0.5
        weight = torch.empty(inputs, outputs).uniform_(-bound, bound, generator=generator)
        bias = torch.empty(outputs).uniform_(-bound, bound, generator=generator)
        initial.append((weight, bias))
    return initial


def head_module(widths: Sequence[int], seed: int) -> nn.Sequential:
    """Return one head as a module; its values are those of `layers`."""
    modules: OrderedDict[str, nn.Module] = OrderedDict()
    for number, (weight, bias) in enumerate(layers(widths, seed), start=1):
        linear = nn.Linear(*weight.shape)
        linear.weight = nn.Parameter(weight.T.contiguous())
        linear.bias = nn.Parameter(bias)
        modules[f"head{number}"] = linear
        modules[f"relu_head{number}"] = nn.ReLU()
    modules.popitem()
    return nn.Sequential(modules)


def stacked(widths: Sequence[int], seeds: Sequence[int], device: torch.device) -> Head:
    """Draw a head for every entry of `seeds` and stack them, ready for training."""
    heads = [layers(widths, seed) for seed in seeds]
    weights = [torch.stack([w for w, _ in layer]) for layer in zip(*heads, strict=True)]
    biases = [torch.stack([b[None] for _, b in layer]) for layer in zip(*heads, strict=True)]
    head = Head([w.to(device) for w in weights], [b.to(device) for b in biases])
    for parameter in head.parameters():
        parameter.requires_grad_()
    return head


def losses(logits: Tensor, labels: Tensor) -> Tensor:
    """Return every sample's cross-entropy, Eq. (1).

    Args:
        logits: (H, B, classes).
        labels: (H, B), integer.

    Returns:
        Losses (H * B,).
    """
    return functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")
