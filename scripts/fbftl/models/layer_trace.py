"""The layer description of a torch module, found in one pass on the meta device.

Nothing is computed and no weights are copied, so a model of any size takes milliseconds. Layers are
found by hooks. Parameters that are used without a call of the layer that holds them (position
embeddings, or what a traced graph reads) are found where a function of torch takes them. The closed
forms in `fbftl.cost.architectures` say what must come out.
"""

import copy
import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.nn.modules.conv import _ConvNd
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from fbftl.cost.layers import Layer, Network
from fbftl.ground.errors import UserError

KINDS = {
    _ConvNd: "convolution",
    nn.Linear: "dense",
    nn.Embedding: "embedding",
    nn.MultiheadAttention: "attention",
}
"""Kinds of layers by class; any other layer with parameters is named after its class."""


def trace(module: nn.Module, example: Mapping[str, Tensor], cut: str, name: str) -> Network:
    """Return the layers with parameters that a module calls, in the order of their first call.

    Multiplications are those of convolutions and dense layers, as paper fbftl counts them
    (Sec. III-C); attention scores and normalisations have none. A parameter that two layers share
    is counted at the first, a layer that is called twice multiplies twice.

    Args:
        module: the model; it is not changed.
        example: keyword arguments of one call with a batch of one sample, on any device.
        cut: name of the layer m_c, the first that the server trains.
        name: name of the network.

    Raises:
        UserError: if a parameter belongs to no layer that the call reaches, or no layer is called
            `cut`.
    """
    on_meta = _to_meta(module).eval()
    parameters = _parameters_by_layer(on_meta)
    book = _Book()
    loose = _LooseParameters(on_meta, book)

    def enter(path: str) -> None:
        loose.active.update(parameters[path])

    def leave(path: str, layer: nn.Module, arguments: Any, output: Any) -> None:
        loose.active.difference_update(parameters[path])
        output = _tensors(output)[0]
        # A table of biases is called with nothing.
        inputs = next(iter(_tensors(arguments)), output)
        book.add(_describe(path, layer, book.count(parameters[path]), inputs, output))

    for path, layer in on_meta.named_modules():
        if path in parameters:
            layer.register_forward_pre_hook(lambda layer, inputs, path=path: enter(path))
            layer.register_forward_hook(
                lambda layer, *call, path=path: leave(path, layer, call[:2], call[2]),
                with_kwargs=True,
            )
    with torch.no_grad(), loose:
        on_meta(**{key: value.to("meta") for key, value in example.items()})

    missed = [p for p, parameter in on_meta.named_parameters() if parameter not in book.counted]
    if missed:
        raise UserError(
            f"cannot describe {name}: one call does not reach {missed[0]} and "
            f"{len(missed) - 1} more parameters, which would not be counted"
        )
    return Network(name, tuple(book.layers.values()), cut=0).cut_before(cut)


class _Book:
    """The layers found so far, and the parameters that they have counted."""

    def __init__(self) -> None:
        self.layers: dict[str, Layer] = {}
        self.counted: set[Tensor] = set()

    def count(self, parameters: list[Tensor]) -> int:
        """Return the elements of the parameters that no layer has counted, and count them."""
        count = sum(parameter.numel() for parameter in set(parameters) - self.counted)
        self.counted.update(parameters)
        return count

    def add(self, layer: Layer) -> None:
        """Add one call of a layer."""
        earlier = self.layers.get(layer.name)
        self.layers[layer.name] = layer if earlier is None else _merge(earlier, layer)


class _LooseParameters(TorchFunctionMode):
    """Books parameters that a function of torch takes while no layer that holds them is called."""

    def __init__(self, module: nn.Module, book: _Book) -> None:
        super().__init__()
        self.names = {parameter: path for path, parameter in module.named_parameters()}
        self.book = book
        self.active: set[Tensor] = set()
        """Parameters of the layers that are being called."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call the function and book its loose parameters."""
        output = func(*args, **(kwargs or {}))
        tensors = _tensors((args, kwargs))
        loose = [tensor for tensor in tensors if tensor in self.names and tensor not in self.active]
        if isinstance(output, Tensor) and loose:
            self._book(func, tensors[0], loose, output)
        return output

    def _book(
        self, func: Callable[..., Any], inputs: Tensor, loose: list[Tensor], output: Tensor
    ) -> None:
        width = output.shape[-1] if output.ndim else 1
        if func is nn.functional.linear:
            positions = output.numel() // width
            self.book.add(
                Layer(
                    self.names[loose[0]].removesuffix(".weight"),
                    "dense",
                    self.book.count(loose),
                    inputs.shape[-1],
                    width,
                    products=positions * loose[0].numel(),
                    bias_additions=positions * width if len(loose) > 1 else 0,
                )
            )
            return
        for parameter in loose:
            if parameter not in self.book.counted:
                name, count = self.names[parameter], self.book.count([parameter])
                self.book.add(Layer(name, "parameter", count, parameter.shape[-1], width))


def _tensors(nest: Any) -> list[Tensor]:
    """Return the tensors of a nest of tuples, lists and dicts, in order."""
    return [leaf for leaf in tree_leaves(nest) if isinstance(leaf, Tensor)]


def _parameters_by_layer(module: nn.Module) -> dict[str, list[Tensor]]:
    """Return the parameters of every layer that is called as a whole, by its path.

    Attention of torch's own uses the parameters of its output projection without calling it. What
    a traced graph reads for itself belongs to no layer.
    """
    parts = {
        part
        for layer in module.modules()
        if isinstance(layer, nn.MultiheadAttention)
        for part in layer.children()
    }
    return {
        path: list(layer.parameters(recurse=isinstance(layer, nn.MultiheadAttention)))
        for path, layer in module.named_modules()
        if layer not in parts
        and not isinstance(layer, fx.GraphModule)
        and next(layer.parameters(recurse=False), None) is not None
    }


def _to_meta(module: nn.Module) -> nn.Module:
    """Return a copy on the meta device without copying the weights first."""
    memo = {id(tensor): _meta_like(tensor) for tensor in (*module.parameters(), *module.buffers())}
    return copy.deepcopy(module, memo)


def _meta_like(tensor: Tensor) -> Tensor:
    """Return a tensor or parameter of the same shape on the meta device."""
    meta = torch.empty_like(tensor, device="meta")
    if isinstance(tensor, nn.Parameter):
        return nn.Parameter(meta, requires_grad=tensor.requires_grad)
    return meta


def _describe(path: str, layer: nn.Module, count: int, inputs: Tensor, output: Tensor) -> Layer:
    """Return one layer from one call of it.

    Convolutions see whole maps; every other layer works along the last axis, token by token.
    """
    kind = next((kind for cls, kind in KINDS.items() if isinstance(layer, cls)), None)
    if kind == "convolution":
        positions = math.prod(output.shape[2:])
        return Layer(
            path,
            kind,
            count,
            inputs=math.prod(inputs.shape[1:]),
            outputs=math.prod(output.shape[1:]),
            products=positions * layer.weight.numel(),
            bias_additions=0 if layer.bias is None else math.prod(output.shape[1:]),
        )
    width = output.shape[-1]
    if kind == "dense":
        positions = math.prod(output.shape[1:-1])
        return Layer(
            path,
            kind,
            count,
            inputs=inputs.shape[-1],
            outputs=width,
            products=positions * layer.weight.numel(),
            bias_additions=0 if layer.bias is None else positions * width,
        )
    if kind == "attention":
        positions = output.numel() // width
        biases = [layer.in_proj_bias, layer.out_proj.bias]
        return Layer(
            path,
            kind,
            count,
            inputs=inputs.shape[-1],
            outputs=width,
            products=positions * (layer.in_proj_weight.numel() + layer.out_proj.weight.numel()),
            bias_additions=positions * sum(bias.numel() for bias in biases if bias is not None),
        )
    if kind == "embedding":
        return Layer(path, kind, count, inputs=1, outputs=width)
    return Layer(path, type(layer).__name__.lower(), count, inputs.shape[-1], width)


def _merge(first: Layer, again: Layer) -> Layer:
    """Return a layer called twice: its parameters once, its multiplications added."""
    return Layer(
        first.name,
        first.kind,
        first.parameters,
        first.inputs,
        first.outputs,
        first.products + again.products,
        first.bias_additions + again.bias_additions,
    )
