"""Cut a network after a layer: the extractor that clients run.

A layer is a module. It can be cut where every path from input to output goes through it, so that
its output is all that the rest needs: the gradient of the output reaches the input in no other way.
A network is run until the cut is reached; the front of a flat `nn.Sequential` is a slice. What is
cut shares its parameters with the whole network.

The cut `input` is before the first layer: what leaves the client is what enters the network.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from fbftl.ground.errors import UserError

INPUT = "input"
"""The cut before the first layer."""

Place = tuple[Any, int]
"""A function of torch's graph of gradients, and the number of one of its outputs."""


def cuttable(model: nn.Module, example: Tensor) -> list[str]:
    """Return the names of the layers that can be cut, in the order of execution.

    Args:
        model: in eval mode.
        example: an input batch of two samples or more; the model is run on it.
    """
    if type(model) is nn.Sequential:
        return [name for name, _ in model.named_children()]
    start, end, outputs = _places(model, example)
    return [name for name, place in outputs.items() if not _reaches(end, start, around=place)]


def front(model: nn.Module, cut: str, example: Tensor) -> nn.Module:
    """Return a module that maps inputs to the output of one layer and runs nothing beyond.

    Raises:
        UserError: as `extractor`.
    """
    if cut == INPUT:
        return nn.Identity()
    _require_cuttable(model, [cut], example)
    if type(model) is nn.Sequential:
        return model[: 1 + [name for name, _ in model.named_children()].index(cut)]
    return _Only(_Interrupted(model, [cut], example), cut)


def extractor(model: nn.Module, cuts: Sequence[str], example: Tensor) -> nn.Module:
    """Return a module that maps inputs to `{cut: output}` in one pass and runs nothing beyond.

    Args:
        model: in eval mode.
        cuts: names of layers.
        example: as for `cuttable`.

    Raises:
        UserError: if there is no layer of a name, or some path goes around it; names the layers
            that can be cut.
    """
    _require_cuttable(model, [cut for cut in cuts if cut != INPUT], example)
    return _Interrupted(model, cuts, example)


def _require_cuttable(model: nn.Module, cuts: Sequence[str], example: Tensor) -> None:
    possible = cuttable(model, example) if cuts else []
    for cut in cuts:
        if cut not in possible:
            raise UserError(
                f"the source model cannot be cut at features.cut = {cut}: there is no such layer, "
                f"or a parallel path goes around it; layers that can be cut: {', '.join(possible)}"
            )


class _Only(nn.Module):
    """An extractor of one cut that returns the output itself."""

    def __init__(self, extractor: nn.Module, cut: str) -> None:
        super().__init__()
        self.extractor = extractor
        self.cut = cut

    def forward(self, inputs: Tensor) -> Tensor:
        return self.extractor(inputs)[self.cut]


class _Reached(Exception):  # noqa: N818
    """Leaves a forward pass: every wanted output is there."""


class _Interrupted(nn.Module):
    """A network that is left as soon as the wanted outputs are there.

    Networks write into the outputs of their modules (`hidden += residual`), so what is kept of an
    output is a copy made at once.
    """

    def __init__(self, model: nn.Module, cuts: Sequence[str], example: Tensor) -> None:
        super().__init__()
        self.model = copy.deepcopy(model, _tensors_of(model))
        self.cuts = frozenset(cuts)
        self._drop_unreached(example)

    def forward(self, inputs: Tensor) -> dict[str, Tensor]:
        outputs: dict[str, Tensor] = {}

        def keep(cut: str, output: Tensor) -> None:
            outputs[cut] = output.clone()
            if outputs.keys() == self.cuts:
                raise _Reached

        layers = {cut: self.model.get_submodule(cut) for cut in self.cuts if cut != INPUT}
        # Hooks live for one pass, so that a copy of this module keeps no outputs in the original.
        with _seeing(layers, keep):
            try:
                if INPUT in self.cuts:
                    keep(INPUT, inputs)
                self.model(inputs)
            except _Reached:
                return outputs
        raise RuntimeError(f"the model ended without reaching all of {sorted(self.cuts)}")

    def _drop_unreached(self, example: Tensor) -> None:
        """Take out the layers behind the cut: their parameters are not the extractor's."""
        named = dict(self.model.named_modules())
        entered: set[nn.Module] = set()
        finished: set[nn.Module] = set()
        hooks = [
            module.register_forward_pre_hook(lambda module, _: entered.add(module))
            for module in named.values()
        ]
        with torch.no_grad(), _seeing(named, lambda name, _: finished.add(named[name])):
            self(example)
        for hook in hooks:
            hook.remove()

        def prune(module: nn.Module) -> None:
            for name, child in module.named_children():
                if entered.isdisjoint(child.modules()):
                    setattr(module, name, nn.Sequential())  # may be iterated
                # A module that ran to its end may use its parts without calling them: keep all.
                elif child not in finished:
                    prune(child)

        prune(self.model)


@contextmanager
def _seeing(modules: Mapping[str, nn.Module], look: Callable[[str, Any], None]) -> Iterator[None]:
    """Have each module's name and output looked at whenever it is called in the block."""
    hooks = [
        module.register_forward_hook(lambda module, _, output, name=name: look(name, output))
        for name, module in modules.items()
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _tensors_of(model: nn.Module) -> dict[int, Any]:
    """Return a model's tensors by their ids, which a deep copy then shares with it."""
    return {id(tensor): tensor for tensor in [*model.parameters(), *model.buffers()]}


def _places(model: nn.Module, example: Tensor) -> tuple[Place, Place, dict[str, Place]]:
    """Return where the gradient of a model has input, output and the outputs of its modules.

    Of modules those that are called once and give a float tensor with a row per sample.
    """
    copied = copy.deepcopy(model, _tensors_of(model))  # models keep what they computed
    seen: dict[str, list[Place | None]] = {}

    def look(name: str, output: Any) -> None:
        rows = isinstance(output, Tensor) and output.is_floating_point()
        counts = rows and len(output) == len(example) and output.grad_fn is not None
        seen.setdefault(name, []).append(_place(output) if counts else None)

    with torch.inference_mode(False), torch.enable_grad():
        inputs = example.clone().requires_grad_().clone()
        with _seeing({name: module for name, module in copied.named_modules() if name}, look):
            end = _place(copied(inputs))
    outputs = {name: places[0] for name, places in seen.items() if len(places) == 1 and places[0]}
    return _place(inputs), end, outputs


def _place(tensor: Tensor) -> Place:
    return tensor.grad_fn, tensor.output_nr


def _reaches(end: Place, start: Place, around: Place) -> bool:
    """Tell whether a gradient comes from one place to another around a third."""
    seen: set[Place] = {around}
    coming = [end]
    while coming:
        place = coming.pop()
        if place in seen:
            continue
        if place == start:
            return True
        seen.add(place)
        coming += [(function, number) for function, number in place[0].next_functions if function]
    return False
