"""Convolutional networks of one shape, stacked: one grouped convolution serves them all.

Worth it for small networks on small images, where calling a layer takes longer than its products.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.models.dense import INERT

LAYERS = (nn.Conv2d, nn.ReLU, nn.MaxPool2d, nn.Flatten, nn.Linear)
"""What a network that can be stacked is made of."""


def stackable_layers(model: nn.Module) -> list[nn.Module] | None:
    """Return the layers of a chain with convolutions that can be stacked, None for any other.

    Dropout is looked through.
    """
    layers = [own for own in model.modules() if not isinstance(own, INERT)]
    trained = [own for own in layers if isinstance(own, nn.Conv2d | nn.Linear)]
    fits = all(type(own) in LAYERS for own in layers)
    fits = fits and all(own.bias is not None for own in trained)
    convolutions = [own for own in trained if isinstance(own, nn.Conv2d)]
    fits = fits and all((own.groups, own.padding_mode) == (1, "zeros") for own in convolutions)
    return layers if fits and convolutions else None


@dataclass
class ConvolutionalStack:
    """H networks of one shape, ready for training.

    Args:
        layers: of one of them, in forward order.
        image: channels, height and width of an input.
        weights: (H, X) parameters of each, flat, in the order of torch's modules.
    """

    layers: Sequence[nn.Module]
    image: Sequence[int]
    weights: Tensor
    trained: list[Tensor] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        shapes = [own.shape for layer in self.layers for own in layer.parameters()]
        parts = self.weights.split([prod(shape) for shape in shapes], dim=1)
        # Matrices as products take them: gradients are then contiguous, as optimisers ask.
        self.trained = [
            _turned(part.unflatten(1, shape)).detach().clone(memory_format=torch.contiguous_format)
            for part, shape in zip(parts, shapes, strict=True)
        ]
        for own in self.trained:
            own.requires_grad_()

    def parameters(self) -> list[Tensor]:
        """Return all tensors (H, ...), layer by layer."""
        return self.trained

    def __call__(self, inputs: Tensor, _: Tensor) -> Tensor:
        """Return logits (H, B, N) of inputs (H, B, I); rows have no weights to normalise by."""
        count, rows = inputs.shape[:2]
        # Maps are (B, H channels, height, width), rows (H, B, width).
        values = inputs.view(count, rows, *self.image).transpose(0, 1).flatten(1, 2)
        left = iter(self.trained)
        for layer in self.layers:
            match layer:
                case nn.Conv2d():
                    values = functional.conv2d(
                        values, next(left).flatten(0, 1), next(left).flatten(), layer.stride,
                        layer.padding, layer.dilation, count,
                    )  # fmt: skip
                case nn.Linear():
                    weight, bias = next(left), next(left)
                    values = torch.baddbmm(bias[:, None], values, weight)
                case nn.Flatten():
                    values = values.reshape(rows, count, -1).transpose(0, 1)
                case _:
                    values = layer(values)
        return values

    @torch.no_grad()
    def flat(self) -> Tensor:
        """Return each network's parameters, (H, X), as they came in."""
        return torch.cat([_turned(own).flatten(1) for own in self.trained], dim=1)


def _turned(values: Tensor) -> Tensor:
    """Return stacked matrices transposed, and anything else as it is."""
    return values.transpose(1, 2) if values.ndim == 3 else values
