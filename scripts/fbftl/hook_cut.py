"""Cut a model that cannot be traced at the output of one of its modules, by forward hooks.

The extractor runs the model and leaves it as soon as the wanted outputs are there. The rest runs
the whole model on zeros and replaces the module's output by what it is given: right, but it
computes the first part in vain, so use it to check and to compare, not to train.
"""

import copy
from collections.abc import Sequence

import torch
from torch import nn


class HookCutter:
    """Cuts a model at modules that are called once and give one tensor; see `cut.Cutter`."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model

    def cuttable(self, example: torch.Tensor) -> list[str]:
        """Return the modules whose output is all that the model's output depends on."""
        outputs = self._single_outputs(_probe(example))
        return [name for name in outputs if self._decides(name, example)]

    def allows(self, cut: str, example: torch.Tensor) -> bool:
        """Return whether the model's output depends on the output of module `cut` only."""
        return cut in self._single_outputs(_probe(example)) and self._decides(cut, example)

    def extractor(self, cuts: Sequence[str]) -> nn.Module:
        """Return the model, left at the last of `cuts`; see `cut.Cutter`."""
        return _HookedExtractor(self.model, cuts)

    def rest(self, cut: str, example: torch.Tensor) -> nn.Module:
        """Return the model with the output of `cut` replaced."""
        return _HookedRest(self.model, cut, example)

    def _single_outputs(self, inputs: torch.Tensor) -> dict[str, torch.Tensor]:
        """Run the model; return per module that was called once its output, if a float tensor."""
        outputs: dict[str, list[object]] = {}
        hooks = [
            module.register_forward_hook(
                lambda module, args, output, name=name: outputs.setdefault(name, []).append(output)
            )
            for name, module in self.model.named_modules()
            if name
        ]
        try:
            with torch.no_grad():
                self.model(inputs)
        finally:
            for hook in hooks:
                hook.remove()
        return {
            name: values[0]
            for name, values in outputs.items()
            if len(values) == 1
            and isinstance(values[0], torch.Tensor)
            and values[0].is_floating_point()
            and len(values[0]) == len(inputs)
        }

    def _decides(self, cut: str, example: torch.Tensor) -> bool:
        """Return whether another input changes nothing once the module's output is put back."""
        probe = _probe(example)
        with torch.no_grad():
            output = self._single_outputs(probe)[cut]
            return torch.equal(_HookedRest(self.model, cut, probe)(output), self.model(probe))


def _probe(example: torch.Tensor) -> torch.Tensor:
    """Return inputs of the example's shape that differ everywhere from the rest's zeros."""
    return torch.linspace(0.5, 1.5, example.numel(), device=example.device).view_as(example)


class _Reached(Exception):  # noqa: N818
    """Leaves a forward pass: every wanted output is there."""


class _HookedExtractor(nn.Module):
    def __init__(self, model: nn.Module, cuts: Sequence[str]) -> None:
        super().__init__()
        shared = {id(tensor): tensor for tensor in [*model.parameters(), *model.buffers()]}
        self.model = copy.deepcopy(model, shared)
        self.wanted = frozenset(cuts)
        self.outputs: dict[str, torch.Tensor] = {}
        for cut in cuts:
            self.model.get_submodule(cut).register_forward_hook(
                lambda module, args, output, cut=cut: self._keep(cut, output)
            )

    def _keep(self, cut: str, output: torch.Tensor) -> None:
        self.outputs[cut] = output
        if self.outputs.keys() == self.wanted:
            raise _Reached

    def forward(self, inputs: torch.Tensor) -> dict[str, torch.Tensor]:
        self.outputs = {}
        try:
            self.model(inputs)
        except _Reached:
            outputs, self.outputs = self.outputs, {}
            return outputs
        raise RuntimeError(f"the model ended without reaching {sorted(self.wanted)}")


class _HookedRest(nn.Module):
    def __init__(self, model: nn.Module, cut: str, example: torch.Tensor) -> None:
        super().__init__()
        self.model = model
        self.cut = cut
        self.shape = example.shape[1:]

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        module = self.model.get_submodule(self.cut)
        hook = module.register_forward_hook(lambda module, args, output: features)
        try:
            return self.model(features.new_zeros(len(features), *self.shape))
        finally:
            hook.remove()
