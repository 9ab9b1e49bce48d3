"""Dense networks of one shape, stacked: one batched matrix product serves them all.

Batch normalisation takes the statistics of each network's own batch, whose rows have weights, so
that batches of different sizes share a stack. A network that gives the logits of its leading slices
too (`models.widths.Prefixes`) is stacked as well, and so is one whose normalisations are doubled
(`models.dual_batch_norm`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import torch
from torch import Tensor, nn

from fbftl.models.dual_batch_norm import DualBatchNorm
from fbftl.models.widths import Prefixes

INERT = (nn.Sequential, nn.Dropout, nn.Identity)
"""Modules that a stack looks through."""

EPS = 1e-5
"""What torch's batch normalisation adds to a variance."""


@dataclass(frozen=True)
class DenseShape:
    """A multi-layer perceptron with biases and ReLU between its layers.

    widths: of input, hidden layers and output.
    normalised: whether the statistics of the batch normalise before every ReLU.
    narrower: widths of the slices whose logits it gives before its own.
    norms: normalisations of a hidden layer, if any: one, or one of clean inputs and one of
        adversarial ones.
    """

    widths: tuple[int, ...]
    normalised: bool
    narrower: tuple[tuple[int, ...], ...] = ()
    norms: int = 1

    @property
    def shapes(self) -> list[list[torch.Size]]:
        """Shapes of each layer's parameters as torch's modules order them."""
        last = len(self.widths) - 2
        layers = zip(self.widths, self.widths[1:], strict=False)
        return [
            [torch.Size((o, i)), torch.Size((o,))]
            + ([torch.Size((o,))] * 2 * self.norms if self.normalised and layer < last else [])
            for layer, (i, o) in enumerate(layers)
        ]


def dense_shape(model: nn.Module) -> DenseShape | None:
    """Return the shape of a network that can be stacked, or None for any other.

    Such a network flattens its inputs, if it does, and has dense layers with biases and ReLU
    between them, all of them normalised by the batch or none. Dropout is looked through.
    """
    slices = [module for module in model.modules() if isinstance(module, Prefixes)]
    if slices:
        whole = _plain_shape(slices[0].whole)
        narrower = [_plain_shape(module) for module in slices[0].narrower]
        if whole is None or None in narrower:
            return None
        return DenseShape(whole.widths, whole.normalised, tuple(part.widths for part in narrower))
    return _plain_shape(model)


def _plain_shape(model: nn.Module) -> DenseShape | None:
    doubled = [m for m in model.modules() if isinstance(m, DualBatchNorm)]
    within = {norm for m in doubled for norm in m.children()}
    leaves = [m for m in model.modules() if not isinstance(m, INERT) and m not in within]
    leaves = [m.clean if isinstance(m, DualBatchNorm) else m for m in leaves]
    norms = 2 if any(m.clean is not m.adversarial for m in doubled) else 1
    while leaves and isinstance(leaves[0], nn.Flatten):
        leaves = leaves[1:]
    normalised = any(isinstance(m, nn.BatchNorm1d) for m in leaves)
    kinds = [nn.Linear, nn.BatchNorm1d, nn.ReLU] if normalised else [nn.Linear, nn.ReLU]
    hidden, rest = divmod(len(leaves), len(kinds))
    fits = rest == 1 and [type(m) for m in leaves] == [*kinds * hidden, nn.Linear]
    dense = [m for m in leaves if isinstance(m, nn.Linear)]
    fits = fits and all(m.bias is not None for m in dense)
    by_batch = [m for m in leaves if isinstance(m, nn.BatchNorm1d)]
    fits = fits and all(m.running_mean is None and m.affine and m.eps == EPS for m in by_batch)
    if not fits:
        return None
    widths = (dense[0].in_features, *(m.out_features for m in dense))
    return DenseShape(widths, normalised, norms=norms)


@dataclass
class DenseStack:
    """H networks of one shape, ready for training.

    Args:
        shape: theirs.
        weights: (H, X) parameters of each, flat, in the order of torch's modules.
    """

    shape: DenseShape
    weights: Tensor
    layers: list[list[Tensor]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        parts = iter(self.parts(self.weights.detach()))
        self.layers = [
            [next(parts).clone().requires_grad_() for _ in shapes] for shapes in self.shape.shapes
        ]

    def parameters(self) -> list[Tensor]:
        """Return all tensors, layer by layer."""
        return [part for layer in self.layers for part in layer]

    def __call__(self, inputs: Tensor, share: Tensor) -> Tensor:
        """Return logits (H, B, P N) of inputs (H, B, I).

        Args:
            inputs: a batch of each network.
            share: (H, B) weight of each row in its batch's statistics, of sum 1.
        """
        widths = [*self.shape.narrower, self.shape.widths]
        return torch.cat(
            [self._logits(network_widths, inputs, share) for network_widths in widths], dim=2
        )

    def adversarial(self, inputs: Tensor, share: Tensor) -> Tensor:
        """Return logits (H, B, N) by the normalisations of adversarial inputs.

        Args:
            inputs, share: as for the others.
        """
        return self._logits(self.shape.widths, inputs, share, slice(-2, None))

    def _logits(
        self, widths: Sequence[int], inputs: Tensor, share: Tensor, by: slice = slice(2)
    ) -> Tensor:
        values = inputs
        for (weight, bias, *norm), i, o in zip(self.layers, widths, widths[1:], strict=False):
            values = torch.baddbmm(bias[..., :o], values, weight[:, :i, :o])
            if norm:
                scale, shift = norm[by]
                values = normalised_rows(values, share) * scale[..., :o] + shift[..., :o]
            if weight is not self.layers[-1][0]:
                values = torch.relu(values)
        return values

    def parts(self, flat: Tensor) -> list[Tensor]:
        """Return vectors (H, X) as contiguous tensors of the parameters' shapes."""
        shapes = [shape for layer_shapes in self.shape.shapes for shape in layer_shapes]
        split = zip(flat.split([prod(shape) for shape in shapes], dim=1), shapes, strict=True)
        parts = [(part.unflatten(1, shape), shape) for part, shape in split]
        return [
            (part.transpose(1, 2) if len(shape) == 2 else part[:, None]).contiguous()
            for part, shape in parts
        ]

    @torch.no_grad()
    def flat(self, parts: Sequence[Tensor] | None = None) -> Tensor:
        """Return vectors (H, X) of tensors of the parameters' shapes: `parts` turned round.

        Args:
            parts: as there; the parameters themselves if None.
        """
        shapes = [shape for layer_shapes in self.shape.shapes for shape in layer_shapes]
        pairs = zip(self.parameters() if parts is None else parts, shapes, strict=True)
        return torch.cat(
            [(p.transpose(1, 2) if len(s) == 2 else p).flatten(1) for p, s in pairs], dim=1
        )


def normalised_rows(values: Tensor, share: Tensor, eps: float = EPS) -> Tensor:
    """Return values (H, B, W) with mean 0 and variance 1 over each batch's weighted rows (H, B)."""
    mean = share[:, None] @ values
    centred = values - mean
    return centred * (share[:, None] @ centred**2 + eps).rsqrt()
