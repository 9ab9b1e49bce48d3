"""Every client's own update of a round in one pass: the sum g_u of its samples' gradients.

In a dense layer or a convolution a weight's gradient is the product of what went into the layer
and of the loss's gradient at what came out. One pass over all clients' samples gives both, and a
product over each client's own samples is its update (Goodfellow 2015, arXiv 1510.01799). A model
that trains any other layer goes through torch.func, which takes every layer and is slower.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.autograd.graph import GradientEdge, get_gradient_edge
from torch.nn import functional

from fbftl.models.modes import couples_samples

ClientUpdates = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
"""From inputs (C, K, ...), labels (C, K) and which of them are present (C, K) to each client's
summed loss (C,) and its update (C, X), in the order of the model's parameters."""

PATCH_VALUES = 2**24
"""Values of a convolution's patches held at once, but at least one client's; bounds memory."""


def client_updates(model: nn.Module) -> ClientUpdates:
    """Return the function that gives the updates of a round's clients, without their average.

    Raises:
        ValueError: if normalisation by the batch would let a client's samples reach another's
            update; then every client needs a pass of its own.
    """
    if couples_samples(model):
        raise ValueError("batch statistics couple the samples of all clients in one pass")
    trained = [layer for layer in model.modules() if list(layer.parameters(recurse=False))]
    parameter_count = sum(len(list(layer.parameters(recurse=False))) for layer in trained)
    # A weight that two layers hold is one parameter.
    shared = parameter_count > len(list(model.parameters()))
    if shared or not all(map(is_product, trained)):
        return by_transform(model)
    return by_layers(model, trained)


def is_product(layer: nn.Module) -> bool:
    """Tell whether a layer's weight gradient is a product that `by_layers` knows."""
    if isinstance(layer, nn.Conv2d):
        plain = layer.padding_mode == "zeros" and not isinstance(layer.padding, str)
        return plain and layer.groups == 1
    return isinstance(layer, nn.Linear)


def by_transform(model: nn.Module) -> ClientUpdates:
    """Return the updates by a gradient transform, batched over clients; for any layers."""
    # Slow to import, and only such models need it.
    from torch.func import functional_call, grad_and_value, vmap

    parameters = dict(model.named_parameters())

    def loss_of(values: dict[str, Tensor], x: Tensor, y: Tensor, weights: Tensor) -> Tensor:
        return weighted_losses(functional_call(model, values, (x,)), y, weights).sum()

    gradients_of = vmap(grad_and_value(loss_of), in_dims=(None, 0, 0, 0))

    def updates(inputs: Tensor, labels: Tensor, present: Tensor) -> tuple[Tensor, Tensor]:
        current = {name: value.detach() for name, value in parameters.items()}
        sums, losses = gradients_of(current, inputs, labels, present.float())
        return losses, torch.cat([sums[name].flatten(1) for name in parameters], dim=1)

    return updates


def by_layers(model: nn.Module, trained: Sequence[nn.Module]) -> ClientUpdates:
    """Return the updates by products of every layer's inputs and output gradients.

    Args:
        model: what the clients train.
        trained: its layers with parameters, in the parameters' order; all are products, and every
            pass calls each of them.
    """

    def updates(inputs: Tensor, labels: Tensor, present: Tensor) -> tuple[Tensor, Tensor]:
        clients = len(labels)
        with watched(trained) as passes:
            logits = model(inputs.flatten(0, 1))
        losses = weighted_losses(logits, labels.flatten(), present.flatten().float())
        at_outputs = torch.autograd.grad(losses.sum(), [output for _, _, output in passes])
        sums: dict[nn.Module, tuple[Tensor, ...]] = {}
        for (layer, entered, _), gradient in zip(passes, at_outputs, strict=True):
            parts = products(layer, entered, gradient, clients)
            # A layer that is called twice has the sum of both calls' gradients.
            earlier = sums.get(layer)
            sums[layer] = parts if earlier is None else tuple(map(torch.add, earlier, parts))
        flat = torch.cat([part for layer in trained for part in sums[layer]], dim=1)
        return losses.detach().view(clients, -1).sum(dim=1), flat

    return updates


def weighted_losses(logits: Tensor, labels: Tensor, weights: Tensor) -> Tensor:
    """Return each sample's cross-entropy times its weight, (n,)."""
    return functional.cross_entropy(logits, labels, reduction="none") * weights


@contextmanager
def watched(layers: Sequence[nn.Module]) -> Iterator[list[tuple[nn.Module, Tensor, GradientEdge]]]:
    """Collect layer, input and where its output's gradient arrives, of every call in the block."""
    passes: list[tuple[nn.Module, Tensor, GradientEdge]] = []

    def watch(layer: nn.Module, entered: tuple[Tensor, ...], output: Tensor) -> None:
        # The edge rather than the output: that may be overwritten by an activation in place.
        passes.append((layer, entered[0].detach(), get_gradient_edge(output)))

    hooks = [layer.register_forward_hook(watch) for layer in layers]
    try:
        yield passes
    finally:
        for hook in hooks:
            hook.remove()


@torch.no_grad()
def products(
    layer: nn.Module, entered: Tensor, gradient: Tensor, clients: int
) -> tuple[Tensor, ...]:
    """Return each client's gradient of a layer's weight (C, ...) and, if there is one, its bias.

    Args:
        layer: dense or a convolution.
        entered: what went into it, (C * K, ...).
        gradient: the loss's gradient at what came out, (C * K, ...).
        clients: C.
    """
    if isinstance(layer, nn.Conv2d):
        weight = of_patches(layer, entered, gradient, clients)
        bias = gradient.flatten(2).sum(dim=2).view(clients, -1, gradient.shape[1]).sum(dim=1)
    else:
        by_client = gradient.reshape(clients, -1, gradient.shape[-1])
        weight = by_client.transpose(1, 2) @ entered.reshape(clients, -1, entered.shape[-1])
        bias = by_client.sum(dim=1)
    return (weight.flatten(1),) if layer.bias is None else (weight.flatten(1), bias)


def of_patches(layer: nn.Conv2d, entered: Tensor, gradient: Tensor, clients: int) -> Tensor:
    """Return each client's weight gradient (C, out, in * height * width) of a convolution."""
    patch, places = layer.weight[0].numel(), gradient.shape[2] * gradient.shape[3]
    samples = len(entered) // clients
    gradients = gradient.new_zeros(clients, gradient.shape[1], patch)
    at_once = max(1, PATCH_VALUES // (samples * places * patch))
    for total, x, g in zip(
        gradients.split(at_once),
        entered.split(at_once * samples),
        gradient.split(at_once * samples),
        strict=True,
    ):
        patches = functional.unfold(
            x, layer.kernel_size, layer.dilation, layer.padding, layer.stride
        )
        patches = patches.view(-1, samples, patch, places)
        of_outputs = g.reshape(-1, samples, g.shape[1], places)
        for sample in range(samples):
            total.baddbmm_(of_outputs[:, sample], patches[:, sample].transpose(1, 2))
    return gradients
