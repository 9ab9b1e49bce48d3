"""Cut a model in two: the extractor that clients run, and the rest.

A layer can be cut where every path from input to output goes through it, so that its output is
all that the rest needs. Flat `nn.Sequential`s are sliced; other models are traced by torchvision
(`graph_cut`), and those that cannot be traced are cut at modules by forward hooks (`hook_cut`).
Extractor and rest share their parameters with the model that they were cut from.

The cut `input` is before the first layer: what leaves the client is what enters the network.
"""

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import nn

from fbftl.ground.errors import UserError

INPUT = "input"
"""The cut before the first layer."""


class Cutter(Protocol):
    """One way to cut one model, given in eval mode."""

    def cuttable(self, example: torch.Tensor) -> list[str]:
        """Return the names of the layers that can be cut, in the order of execution."""

    def allows(self, cut: str, example: torch.Tensor) -> bool:
        """Return whether `cut` names a layer that can be cut."""

    def extractor(self, cuts: Sequence[str], example: torch.Tensor) -> nn.Module:
        """Return a module that maps inputs to `{cut: output}` and runs nothing beyond."""

    def rest(self, cut: str, example: torch.Tensor) -> nn.Module:
        """Return a module that maps the output of `cut` to the model's output."""


def cuttable(model: nn.Module, example: torch.Tensor) -> list[str]:
    """Return the names of the layers that can be cut, in the order of execution.

    Args:
        model: in eval mode.
        example: an input batch of two samples or more; the model is run on it.
    """
    return _cutter(model).cuttable(example)


def split(model: nn.Module, cut: str, example: torch.Tensor) -> tuple[nn.Module, nn.Module]:
    """Return extractor and rest; `rest(extractor(x))` equals `model(x)`.

    Raises:
        UserError: if there is no layer `cut`, or some path goes around it; names the layers that
            can be cut.
    """
    if cut == INPUT:
        return nn.Identity(), model
    cutter = _checked(model, [cut], example)
    if isinstance(cutter, ChainCutter):
        return cutter.split_at(cut)
    return _Only(cutter.extractor([cut], example), cut), cutter.rest(cut, example)


def extractor(model: nn.Module, cuts: Sequence[str], example: torch.Tensor) -> nn.Module:
    """Return a module that maps inputs to `{cut: output}` in one pass and runs nothing beyond.

    Raises:
        UserError: as `split`, for any of `cuts`.
    """
    layers = [cut for cut in cuts if cut != INPUT]
    beyond = _checked(model, layers, example).extractor(layers, example) if layers else None
    return beyond if INPUT not in cuts else _FromInput(beyond)


def _checked(model: nn.Module, cuts: Sequence[str], example: torch.Tensor) -> Cutter:
    cutter = _cutter(model)
    for cut in cuts:
        if not cutter.allows(cut, example):
            raise UserError(
                f"the source model cannot be cut at features.cut = {cut}: there is no such layer, "
                "or a parallel path goes around it; layers that can be cut: "
                + ", ".join(cutter.cuttable(example))
            )
    return cutter


def _cutter(model: nn.Module) -> Cutter:
    if type(model) is nn.Sequential:
        return ChainCutter(model)
    from fbftl.models.cut.graph import GraphCutter, UntraceableError
    from fbftl.models.cut.hooks import HookCutter

    try:
        return GraphCutter(model)
    except UntraceableError:
        return HookCutter(model)


class ChainCutter:
    """Cuts a flat `nn.Sequential` by slicing; needs nothing but torch."""

    def __init__(self, model: nn.Sequential) -> None:
        self.model = model
        self.names = [name for name, _ in model.named_children()]

    def cuttable(self, example: torch.Tensor) -> list[str]:
        """Return the names of all layers: a chain has no parallel path."""
        return self.names

    def allows(self, cut: str, example: torch.Tensor) -> bool:
        """Return whether there is a layer `cut`."""
        return cut in self.names

    def split_at(self, cut: str) -> tuple[nn.Sequential, nn.Sequential]:
        """Return the layers up to and including `cut`, and those after it."""
        after = 1 + self.names.index(cut)
        return self.model[:after], self.model[after:]

    def extractor(self, cuts: Sequence[str], example: torch.Tensor) -> nn.Module:
        """Return the layers up to the last of `cuts`, as `Cutter.extractor`."""
        return _ChainExtractor(self.split_at(max(cuts, key=self.names.index))[0], cuts)

    def rest(self, cut: str, example: torch.Tensor) -> nn.Module:
        """Return the layers after `cut`."""
        return self.split_at(cut)[1]


class _ChainExtractor(nn.Module):
    def __init__(self, layers: nn.Sequential, cuts: Sequence[str]) -> None:
        super().__init__()
        self.layers = layers
        self.cuts = frozenset(cuts)

    def forward(self, inputs: torch.Tensor) -> dict[str, torch.Tensor]:
        outputs = {}
        for name, layer in self.layers.named_children():
            inputs = layer(inputs)
            if name in self.cuts:
                outputs[name] = inputs
        return outputs


class _FromInput(nn.Module):
    """An extractor whose cuts are the input and maybe layers beyond it."""

    def __init__(self, beyond: nn.Module | None) -> None:
        super().__init__()
        self.beyond = beyond

    def forward(self, inputs: torch.Tensor) -> dict[str, torch.Tensor]:
        outputs = {} if self.beyond is None else self.beyond(inputs)
        return outputs | {INPUT: inputs}


class _Only(nn.Module):
    """An extractor of one cut that returns the output itself."""

    def __init__(self, extractor: nn.Module, cut: str) -> None:
        super().__init__()
        self.extractor = extractor
        self.cut = cut

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.extractor(inputs)[self.cut]
