"""Cut a model that cannot be traced at the output of one of its modules, by forward hooks.

The extractor runs the model and leaves it as soon as the wanted outputs are there. The rest runs
the whole model on zeros and replaces the module's output by what it is given: right, but it
computes the first part in vain, so use it to check and to compare, not to train.

Models write into the outputs of their modules (`hidden += residual`), so what is kept of an output
is a copy made at once.
"""

import copy
from collections.abc import Sequence

import torch
from torch import nn

from fbftl.models.cut.graph import tensors_of


class HookCutter:
    """Cuts a model at modules that are called once and give one tensor; see `cut.Cutter`."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model

    def cuttable(self, example: torch.Tensor) -> list[str]:
        """Return the modules whose output is all that the model's output depends on."""
        probe = _probe(example)
        outputs, whole = self._single_outputs(probe)
        return [name for name in outputs if self._decides(name, outputs[name], probe, whole)]

    def allows(self, cut: str, example: torch.Tensor) -> bool:
        """Return whether the model's output depends on the output of module `cut` only."""
        probe = _probe(example)
        outputs, whole = self._single_outputs(probe)
        return cut in outputs and self._decides(cut, outputs[cut], probe, whole)

    def extractor(self, cuts: Sequence[str], example: torch.Tensor) -> nn.Module:
        """Return the model, left at the last of `cuts`; see `cut.Cutter`."""
        return _HookedExtractor(self.model, cuts, example)

    def rest(self, cut: str, example: torch.Tensor) -> nn.Module:
        """Return the model with the output of `cut` replaced."""
        return _HookedRest(self.model, cut, example)

    def _single_outputs(self, inputs: torch.Tensor) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        """Run the model; return its modules' outputs, and its own.

        Of modules those that were called once and gave a float tensor with a row per sample.
        """
        outputs: dict[str, list[object]] = {}

        def keep(name: str, output: object) -> None:
            copied = output.clone() if isinstance(output, torch.Tensor) else output
            outputs.setdefault(name, []).append(copied)

        hooks = [
            module.register_forward_hook(lambda module, args, output, name=name: keep(name, output))
            for name, module in self.model.named_modules()
            if name
        ]
        try:
            with torch.no_grad():
                whole = self.model(inputs)
        finally:
            for hook in hooks:
                hook.remove()
        single = {
            name: values[0]
            for name, values in outputs.items()
            if len(values) == 1
            and isinstance(values[0], torch.Tensor)
            and values[0].is_floating_point()
            and len(values[0]) == len(inputs)
        }
        return single, whole

    def _decides(
        self, cut: str, output: torch.Tensor, inputs: torch.Tensor, whole: torch.Tensor
    ) -> bool:
        """Return whether another input changes nothing once the module's output is put back."""
        with torch.no_grad():
            return torch.equal(_HookedRest(self.model, cut, inputs)(output), whole)


def _probe(example: torch.Tensor) -> torch.Tensor:
    """Return inputs of the example's shape that differ everywhere from the rest's zeros."""
    return torch.linspace(0.5, 1.5, example.numel(), device=example.device).view_as(example)


class _Reached(Exception):  # noqa: N818
    """Leaves a forward pass: every wanted output is there."""


class _HookedExtractor(nn.Module):
    def __init__(self, model: nn.Module, cuts: Sequence[str], example: torch.Tensor) -> None:
        super().__init__()
        self.model = copy.deepcopy(model, tensors_of(model))
        self.cuts = frozenset(cuts)
        self._drop_unreached(example)

    def forward(self, inputs: torch.Tensor) -> dict[str, torch.Tensor]:
        outputs: dict[str, torch.Tensor] = {}

        def keep(cut: str, output: torch.Tensor) -> None:
            outputs[cut] = output.clone()
            if outputs.keys() == self.cuts:
                raise _Reached

        # Hooks live for one pass, so that a copy of this module keeps no outputs in the original.
        hooks = [
            self.model.get_submodule(cut).register_forward_hook(
                lambda module, args, output, cut=cut: keep(cut, output)
            )
            for cut in self.cuts
        ]
        try:
            self.model(inputs)
        except _Reached:
            return outputs
        finally:
            for hook in hooks:
                hook.remove()
        raise RuntimeError(f"the model ended without reaching all of {sorted(self.cuts)}")

    def _drop_unreached(self, example: torch.Tensor) -> None:
        """Take out the layers behind the cut: their parameters are not the extractor's."""
        entered: set[nn.Module] = set()
        left: set[nn.Module] = set()
        hooks = []
        for module in self.model.modules():
            hooks.append(module.register_forward_pre_hook(lambda module, args: entered.add(module)))
            hooks.append(module.register_forward_hook(lambda module, *_: left.add(module)))
        with torch.no_grad():
            self(example)
        for hook in hooks:
            hook.remove()

        def prune(module: nn.Module) -> None:
            # A module that ran to its end may use its parts without calling them: keep all.
            for name, child in () if module in left else module.named_children():
                if entered.isdisjoint(child.modules()):
                    setattr(module, name, nn.Identity())
                else:
                    prune(child)

        prune(self.model)


class _HookedRest(nn.Module):
    def __init__(self, model: nn.Module, cut: str, example: torch.Tensor) -> None:
        super().__init__()
        self.model = model
        self.cut = cut
        self.shape = example.shape[1:]

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        module = self.model.get_submodule(self.cut)
        hook = module.register_forward_hook(lambda module, args, output: features.clone())
        try:
            return self.model(features.new_zeros(len(features), *self.shape))
        finally:
            hook.remove()
