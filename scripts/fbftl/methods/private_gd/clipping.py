"""Clipped gradients of stacked perceptrons in closed form: no per-sample gradient is ever held.

In a dense layer a sample's gradient is the outer product of the loss's gradient at the output and
of what entered, so that its norm is the product of two norms, and clipping it scales the one factor
(Goodfellow 2015, arXiv 1510.01799).
"""

from math import sqrt

import torch
from torch import Tensor
from torch.nn import functional

from fbftl.models.heads import Head


def outputs_for(classes: int) -> int:
    """Return the outputs of a head: one logit for two classes (logistic loss), else one each."""
    return 1 if classes == 2 else classes


def logits_of(outputs: Tensor) -> Tensor:
    """Return a logit per class, (..., classes); that of the first of two classes is 0."""
    if outputs.shape[-1] > 1:
        return outputs
    return torch.cat([torch.zeros_like(outputs), outputs], dim=-1)


def norm_for(clip: float, outputs: int) -> float | None:
    """Return the largest norm of an input at which no gradient of a linear head exceeds `clip`.

    The gradient at the outputs is at most 1 long with one logit, sqrt(2) with several, and a bias
    adds 1 to the squared norm of what enters. None if the bias alone may exceed the clip norm.
    """
    steepest = 1.0 if outputs == 1 else sqrt(2)
    left = (clip / steepest) ** 2 - 1
    return sqrt(left) if left > 0 else None


def clipped_sums(head: Head, x: Tensor, labels: Tensor, clip: float) -> tuple[Tensor, list[Tensor]]:
    """Return summed losses and, per parameter, the sums of clipped per-sample gradients.

    Args:
        head: H stacked perceptrons.
        x: inputs (H, N, width).
        labels: (H, N).
        clip: L2 norm that no sample's gradient exceeds; inf clips nothing.

    Returns:
        Losses (H,), and sums in the order of `Head.parameters`.
    """
    entered = [x]
    for weight, bias in zip(head.weights[:-1], head.biases[:-1], strict=True):
        entered.append(torch.relu(torch.baddbmm(bias, entered[-1], weight)))
    outputs = torch.baddbmm(head.biases[-1], entered[-1], head.weights[-1])
    logits = logits_of(outputs)
    losses = functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")
    error = torch.softmax(logits, dim=-1)
    error.scatter_add_(-1, labels[..., None], -torch.ones_like(error[..., :1]))
    at_outputs = [error[..., -outputs.shape[-1] :]]
    for weight, hidden in zip(reversed(head.weights[1:]), reversed(entered[1:]), strict=True):
        at_outputs.insert(0, at_outputs[0] @ weight.mT * (hidden > 0))
    squares = torch.zeros((), device=x.device)
    for delta, activation in zip(at_outputs, entered, strict=True):
        squares = squares + delta.square().sum(-1) * (activation.square().sum(-1) + 1)
    factors = (clip / squares.sqrt().clamp(min=1e-30)).clamp(max=1.0)
    sums = []
    for delta, activation in zip(at_outputs, entered, strict=True):
        scaled = delta * factors[..., None]
        sums += [activation.mT @ scaled, scaled.sum(dim=1, keepdim=True)]
    return losses.view_as(labels).sum(dim=1), sums
