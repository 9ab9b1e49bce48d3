"""Networks of one shape, stacked: one batched product or grouped convolution serves them all.

Worth it for dense networks, and for small convolutional ones on small images, where calling a layer
takes longer than its products. Batch normalisation takes the statistics of each network's own
batch, whose rows have weights, so that batches of different sizes share a stack. A network that
gives the logits of its leading slices too (`models.widths.Prefixes`) is stacked as well, and so is
a dense one whose normalisations are doubled (`models.dual_batch_norm`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.models.dual_batch_norm import DualBatchNorm
from fbftl.models.widths import Prefixes

INERT = (nn.Sequential, nn.Dropout, nn.Identity)
"""Modules that a stack looks through."""


class Clip(nn.Module):
    """Scales down samples (n, ...) that are longer than a norm; for training and testing alike.

    Args:
        norm: the longest that a sample's features are.
    """

    def __init__(self, norm: float) -> None:
        super().__init__()
        # Products are rounded to 32 bits, so aim just below what a guarantee assumes.
        self.norm = norm * (1 - 1e-6)

    def forward(self, features: Tensor) -> Tensor:
        """Return features of which none is longer."""
        lengths = features.flatten(1).norm(dim=1).clamp_min(self.norm)
        return features * (self.norm / lengths).view(-1, *[1] * (features.ndim - 1))


CONVOLUTIONAL = (
    nn.Conv2d, nn.ReLU, nn.MaxPool2d, nn.Flatten, nn.Linear, Clip, nn.BatchNorm2d, nn.BatchNorm1d,
)  # fmt: skip
"""What a convolutional network that can be stacked is made of."""

CLEAN, ADVERSARIAL = slice(2), slice(-2, None)
"""Where a normalisation has scale and shift of either kind of inputs; a plain one has two alone."""


@dataclass(frozen=True, eq=False)
class StackableShape:
    """Layers of a network that can be stacked, in forward order; those looked through left out.

    narrower: layers of each slice whose logits it gives before its own.
    """

    layers: Sequence[nn.Module]
    narrower: Sequence[Sequence[nn.Module]] = ()

    @property
    def convolves(self) -> bool:
        """Whether there are convolutions; without them the layers begin with a dense one."""
        return any(isinstance(layer, nn.Conv2d) for layer in self.layers)


def stackable(model: nn.Module) -> StackableShape | None:
    """Return the shape of a network that can be stacked, or None for any other.

    It is a chain with convolutions, or a perceptron: it flattens its inputs, if it does, and has
    dense layers with ReLU between them. What normalises does so by the batch, in training and in
    testing; before every ReLU of a perceptron, or nowhere.
    """
    slices = [module for module in model.modules() if isinstance(module, Prefixes)]
    networks = [slices[0].whole, *slices[0].narrower] if slices else [model]
    layers = [_perceptron(network) or _convolutional(network) for network in networks]
    return StackableShape(layers[0], layers[1:]) if all(layers) else None


def chained(model: nn.Module) -> list[nn.Module]:
    """Return a chain's layers in forward order, but those that a stack looks through."""
    within = {
        norm for m in model.modules() if isinstance(m, DualBatchNorm) for norm in m.children()
    }
    return [m for m in model.modules() if not isinstance(m, INERT) and m not in within]


def _perceptron(model: nn.Module) -> list[nn.Module]:
    """Return the layers of a multi-layer perceptron, none if the network is another."""
    layers = chained(model)
    while layers and isinstance(layers[0], nn.Flatten):
        layers = layers[1:]
    norms = [getattr(layer, "clean", layer) for layer in layers]
    normalises = any(isinstance(norm, nn.BatchNorm1d) for norm in norms)
    hidden = [nn.Linear, nn.BatchNorm1d, nn.ReLU] if normalises else [nn.Linear, nn.ReLU]
    fits = [*map(type, norms)] == [*hidden * (len(layers) // len(hidden)), nn.Linear]
    return layers if fits and all(map(_is_plain, norms)) else []


def _convolutional(model: nn.Module) -> list[nn.Module]:
    """Return the layers of a chain with convolutions, none if the network is another."""
    layers = chained(model)
    fits = all(type(layer) in CONVOLUTIONAL and _is_plain(layer) for layer in layers)
    return layers if fits and any(isinstance(layer, nn.Conv2d) for layer in layers) else []


def _is_plain(layer: nn.Module) -> bool:
    """Tell whether a layer has all that a stack of its kind computes, and no more."""
    match layer:
        case nn.Conv2d():
            plain = (layer.groups, layer.padding_mode) == (1, "zeros")
            return plain and layer.bias is not None
        case nn.Linear():
            return layer.bias is not None
        case nn.BatchNorm1d() | nn.BatchNorm2d():
            return layer.running_mean is None and layer.affine
    return True


@torch.no_grad()
def convolution_products(shape: StackableShape, example: Tensor) -> int:
    """Return the multiplications that convolutions do for one sample.

    Args:
        shape: of the network.
        example: a batch of inputs (n, C, H, W), two or more where something normalises by it.
    """
    values, products = example, 0
    for layer in shape.layers:
        values = layer(values)
        if isinstance(layer, nn.Conv2d):
            products += values[0].numel() * layer.weight[0].numel()
    return products


@dataclass
class NetworkStack:
    """H networks of one shape, ready for training.

    Args:
        shape: theirs.
        weights: (H, X) parameters of each, flat, in the order of torch's modules.
        image: channels, height and width of an input; perceptrons take rows.
        boundary: how many layers the first half has.
    """

    shape: StackableShape
    weights: Tensor
    image: Sequence[int] = ()
    boundary: int = 0
    trained: list[list[Tensor]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        parts = iter(self.parts(self.weights.detach()))
        self.trained = [
            [next(parts).clone().requires_grad_() for _ in layer.parameters()]
            for layer in self.shape.layers
        ]

    def parameters(self) -> list[Tensor]:
        """Return all tensors (H, ...), layer by layer."""
        return [parameter for layer in self.trained for parameter in layer]

    def __call__(self, inputs: Tensor, share: Tensor) -> Tensor:
        """Return logits (H, B, P N) of inputs (H, B, I).

        Args:
            inputs: a batch of each network.
            share: (H, B) weight of each row in its batch's statistics, of sum 1.
        """
        values = self._entering(inputs)
        networks = [*self.shape.narrower, self.shape.layers]
        logits = [self._through(values, self._parts_of(layers), share) for layers in networks]
        return torch.cat(logits, dim=2)

    def adversarial(self, inputs: Tensor, share: Tensor) -> Tensor:
        """Return logits (H, B, N) by the normalisations of adversarial inputs.

        Args:
            inputs, share: as for the others.
        """
        layers = self._parts_of(self.shape.layers)
        return self._through(self._entering(inputs), layers, share, ADVERSARIAL)

    def front(self, inputs: Tensor) -> list[Tensor]:
        """Return what each network's first half gives (B, ...) of inputs (H, B, I).

        Halves are of networks that normalise nothing: which rows only fill is not told.
        """
        first_half = self._parts_of(self.shape.layers)[: self.boundary]
        values = self._through(self._entering(inputs), first_half)
        if values.ndim == 3:
            return list(values)
        return list(values.unflatten(1, (len(self.weights), -1)).unbind(1))

    def rest(self, values: Sequence[Tensor]) -> Tensor:
        """Return logits (H, B, N) of what each network's second half is given (B, ...)."""
        rows = values[0].ndim == 2
        entering = torch.stack(values) if rows else torch.cat(values, dim=1)
        return self._through(entering, self._parts_of(self.shape.layers)[self.boundary :])

    def _entering(self, inputs: Tensor) -> Tensor:
        """Return inputs (H, B, I) as the first layer takes them."""
        if not self.shape.convolves:
            return inputs
        return inputs.view(*inputs.shape[:2], *self.image).transpose(0, 1).flatten(1, 2)

    def _parts_of(self, layers: Sequence[nn.Module]) -> list[tuple[nn.Module, list[Tensor]]]:
        """Return the layers of the networks, or of a slice of each, with their parameters."""
        return [
            (layer, [_leading(*pair) for pair in zip(parts, layer.parameters(), strict=True)])
            for layer, parts in zip(layers, self.trained, strict=True)
        ]

    def _through(
        self,
        values: Tensor,
        layers: Sequence[tuple[nn.Module, Sequence[Tensor]]],
        share: Tensor | None = None,
        normalising: slice = CLEAN,
    ) -> Tensor:
        """Run some of the layers. Maps are (B, H channels, height, width), rows (H, B, width)."""
        count = len(self.weights)
        if values.ndim == 4:
            # Grouped convolutions and pooling take two thirds of the time in this order.
            values = values.contiguous(memory_format=torch.channels_last)
        for layer, parameters in layers:
            match layer:
                case nn.Conv2d():
                    weight, bias = parameters
                    values = functional.conv2d(
                        values, weight.flatten(0, 1), bias.flatten(), layer.stride,
                        layer.padding, layer.dilation, count,
                    )  # fmt: skip
                case nn.Linear():
                    weight, bias = parameters
                    values = torch.baddbmm(bias[:, None], values, weight)
                case nn.BatchNorm2d():
                    values = _normalised_maps(values, parameters, share, layer.eps)
                case nn.BatchNorm1d() | DualBatchNorm():
                    scale, shift = parameters[normalising]
                    eps = getattr(layer, "clean", layer).eps
                    normal = _normalised_rows(values, share, eps)
                    values = normal * scale[:, None] + shift[:, None]
                case nn.Flatten():
                    values = values.reshape(len(values), count, -1).transpose(0, 1)
                case Clip():
                    samples = values.unflatten(1, (count, -1)) if values.ndim == 4 else values
                    clipped = layer(samples.flatten(0, 1)).unflatten(0, samples.shape[:2])
                    values = clipped.flatten(1, 2) if values.ndim == 4 else clipped
                case _:
                    values = layer(values)
        return values

    def parts(self, flat: Tensor) -> list[Tensor]:
        """Return vectors (H, X) as contiguous tensors of the parameters' shapes."""
        layers = self.shape.layers
        shapes = [parameter.shape for layer in layers for parameter in layer.parameters()]
        split = zip(flat.split([prod(shape) for shape in shapes], dim=1), shapes, strict=True)
        # Matrices as products take them.
        return [_turned(part.unflatten(1, shape)).contiguous() for part, shape in split]

    @torch.no_grad()
    def flat(self, parts: Sequence[Tensor] | None = None) -> Tensor:
        """Return vectors (H, X) of tensors of the parameters' shapes: `parts` turned round.

        Args:
            parts: as there; the parameters themselves if None.
        """
        tensors = self.parameters() if parts is None else parts
        return torch.cat([_turned(part).flatten(1) for part in tensors], dim=1)


def _leading(stacked: Tensor, narrower: Tensor) -> Tensor:
    """Return the leading slice of each network's parameter in the shape of a narrower network's."""
    sides = narrower.shape[::-1] if narrower.ndim == 2 else narrower.shape
    if stacked.shape[1:] == sides:
        return stacked
    return stacked[(slice(None), *(slice(side) for side in sides))]


def _turned(values: Tensor) -> Tensor:
    """Return stacked matrices transposed, and anything else as it is."""
    return values.transpose(1, 2) if values.ndim == 3 else values


def _normalised_rows(values: Tensor, share: Tensor, eps: float) -> Tensor:
    """Return values (H, B, W) with mean 0 and variance 1 over each batch's weighted rows (H, B)."""
    mean = share[:, None] @ values
    centred = values - mean
    return centred * (share[:, None] @ centred**2 + eps).rsqrt()


def _normalised_maps(
    values: Tensor, parameters: Sequence[Tensor], share: Tensor, eps: float
) -> Tensor:
    """Return maps (B, H C, h, w) normalised over each network's batch, its rows weighted.

    Args:
        values: the maps of H networks.
        parameters: scale and shift (H, C).
        share: (H, B) weight of each row, of sum 1 over a batch.
        eps: what is added to a variance.
    """
    scale, shift = parameters
    maps = values.unflatten(1, scale.shape)
    of_row = share.mT[..., None]
    mean = (of_row * maps.mean((3, 4))).sum(0)
    centred = maps - mean[..., None, None]
    variance = (of_row * centred.square().mean((3, 4))).sum(0)
    factor = scale * (variance + eps).rsqrt()
    return (centred * factor[..., None, None] + shift[..., None, None]).flatten(1, 2)
