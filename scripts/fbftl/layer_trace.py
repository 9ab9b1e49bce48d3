"""The layer description of a torch module, found by hooks in one pass on the meta device.

Nothing is computed and no weights are copied, so a model of any size takes milliseconds. The
closed forms in `fbftl.architectures` say what must come out.
"""

import copy
import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.modules.conv import _ConvNd

from fbftl.cost.layers import Layer, Network
from fbftl.errors import UserError

KINDS = {_ConvNd: "convolution", nn.Linear: "dense", nn.Embedding: "embedding"}
"""Kinds of layers by class; any other layer with parameters is named after its class."""


def trace(module: nn.Module, example: Mapping[str, Tensor], cut: str, name: str) -> Network:
    """Return the layers with parameters that a module calls, in the order of their first call.

    Multiplications are those of convolutions and dense layers, as paper 000 counts them
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
    own = {
        path: list(layer.parameters(recurse=False))
        for path, layer in module.named_modules()
        if next(layer.parameters(recurse=False), None) is not None
    }
    counted: set[Tensor] = set()
    layers: dict[str, Layer] = {}

    def record(path: str, layer: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        count = sum(parameter.numel() for parameter in set(own[path]) - counted)
        counted.update(own[path])
        described = _describe(path, layer, count, inputs[0], output)
        layers[path] = _merge(layers[path], described) if path in layers else described

    on_meta = _to_meta(module).eval()
    for path, layer in on_meta.named_modules():
        if path in own:
            layer.register_forward_hook(
                lambda layer, inputs, output, path=path: record(path, layer, inputs, output)
            )
    with torch.no_grad():
        on_meta(**{key: value.to("meta") for key, value in example.items()})

    missed = [path for path, parameter in module.named_parameters() if parameter not in counted]
    if missed:
        raise UserError(
            f"cannot describe {name}: one call does not reach {', '.join(missed)}, "
            "which would not be counted"
        )
    return Network(name, tuple(layers.values()), cut=0).cut_before(cut)


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
