"""Cut a model in two: the extractor that clients run, and the rest.

A layer can be cut where every path from input to output goes through it, so that its output is
all that the rest needs. Flat `nn.Sequential`s are sliced; other models are traced by torchvision
(`graph_cut`), and those that cannot be traced are cut at modules by forward hooks (`hook_cut`).
Extractor and rest share their layers with the model that they were cut from.
"""

from collections.abc import Sequence

import torch
from torch import nn

from fbftl.errors import UserError


def cuttable(model: nn.Module, example: torch.Tensor) -> list[str]:
    """Return the names of the layers that can be cut, in the order of execution.

    Args:
        model: in eval mode.
        example: an input batch of at least one sample; the model is run on it.
    """
    return _tactic(model).cuttable(model, example)


def split(model: nn.Module, cut: str, example: torch.Tensor) -> tuple[nn.Module, nn.Module]:
    """Return extractor and rest; `rest(extractor(x))` equals `model(x)`.

    Raises:
        UserError: if there is no layer `cut`, or some path goes around it; names the layers that
            can be cut.
    """
    _check([cut], model, example)
    return _tactic(model).split(model, cut, example)


def extractor(model: nn.Module, cuts: Sequence[str], example: torch.Tensor) -> nn.Module:
    """Return a module that maps inputs to `{cut: output}` in one pass and runs nothing beyond.

    Raises:
        UserError: as `split`, for any of `cuts`.
    """
    _check(cuts, model, example)
    return _tactic(model).extractor(model, cuts)


def _check(cuts: Sequence[str], model: nn.Module, example: torch.Tensor) -> None:
    allowed = cuttable(model, example)
    for cut in cuts:
        if cut not in allowed:
            raise UserError(
                f"the source model cannot be cut at features.cut = {cut}: no such layer, or it "
                f"lies in a parallel path; layers that can be cut: {', '.join(allowed)}"
            )


class _Chain:
    """Cutting a flat `nn.Sequential` by slicing; needs nothing but torch."""

    @staticmethod
    def cuttable(model: nn.Sequential, example: torch.Tensor) -> list[str]:
        return [name for name, _ in model.named_children()]

    @staticmethod
    def split(
        model: nn.Sequential, cut: str, example: torch.Tensor
    ) -> tuple[nn.Sequential, nn.Sequential]:
        after = 1 + [name for name, _ in model.named_children()].index(cut)
        return model[:after], model[after:]

    @staticmethod
    def extractor(model: nn.Sequential, cuts: Sequence[str]) -> nn.Module:
        names = [name for name, _ in model.named_children()]
        return _ChainExtractor(model[: 1 + max(map(names.index, cuts))], cuts)


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


def _tactic(model: nn.Module):  # noqa: ANN202
    if type(model) is nn.Sequential:
        return _Chain
    from fbftl import graph_cut, hook_cut

    return graph_cut if graph_cut.traceable(model) else hook_cut
