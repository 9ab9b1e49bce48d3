"""The layers of a task's networks as the cost model wants them, found on the meta device.

Nothing is computed and no weights are copied, so a model of any size takes milliseconds. Layers are
found by hooks. Parameters that are used without a call of the layer that holds them (position
embeddings) are found where a function of torch takes them. The closed
forms in `fbftl.models.cost.architectures` say what must come out.
"""

import copy
import math
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.modules.conv import _ConvNd
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.ground.errors import UserError
from fbftl.models.chain import chain_of
from fbftl.models.cost.layers import Layer, Network
from fbftl.models.cut import front
from fbftl.models.forward import Pool
from fbftl.models.heads import head_module
from fbftl.models.networks import random_split
from fbftl.models.source.manifest import build


def describe(
    source: Mapping[str, Any],
    features: Mapping[str, Any],
    image: tuple[int, int, int],
    head: Sequence[int],
    classes: int,
) -> Network:
    """Return the layers of source architecture and head, cut where the head begins.

    Args:
        source: the source model's manifest.
        features: config block `features` of the task: cut layer, pooling, preprocessing.
        image: height, width and channels of the clients' images.
        head: widths of the head's hidden layers.
        classes: number of classes N.

    Raises:
        UserError: if the cut cannot be made, naming the layers that can be cut.
    """
    example = entering(source, features, image)
    before = front(build(source["architecture"]).eval(), features["cut"], example)
    pool = Pool.behind(before, features["pool"], example)
    width = pool(before(example)).shape[1]
    head_layers = head_module([width, *head, classes], seed=0)
    whole = nn.Sequential(OrderedDict(extractor=before, pool=pool, head=head_layers))
    name = source["architecture"]["from"]
    return trace(whole, {"input": example[:1]}, cut="head.head1", name=name)


def describe_named(
    name: str,
    block: Mapping[str, Any],
    source: Mapping[str, Any],
    features: Mapping[str, Any],
    image: tuple[int, int, int],
    classes: int,
) -> Network:
    """Return the layers of a network that the task names, cut where its block says.

    Args:
        name: the network's name.
        block: its block of the configuration, see `chain.chain_of`.
        source: the source model's manifest, for the preprocessing.
        features: config block `features` of the task, for the preprocessing.
        image: height, width and channels of the clients' images.
        classes: number of classes N.
    """
    example = entering(source, features, image)
    _, depth, height, width = example.shape
    before, rest = random_split(chain_of(block, (height, width, depth), classes), block["cut"], 0)
    first = next(name for name, layer in rest.named_children() if list(layer.parameters()))
    whole = nn.Sequential(OrderedDict(extractor=before, head=rest))
    network = trace(whole, {"input": example[:1]}, cut=f"head.{first}", name=name)
    return replace(network, cut_width=before(example)[0].numel())


def entering(
    source: Mapping[str, Any], features: Mapping[str, Any], image: tuple[int, int, int]
) -> Tensor:
    """Return two black images as they enter the network."""
    preprocessing = Preprocessing.of(source["preprocessing"]).overridden(features)
    return preprocess(np.zeros((2, *image), np.uint8), preprocessing)


KINDS = {
    _ConvNd: "convolution",
    nn.Linear: "dense",
    nn.Embedding: "embedding",
    nn.MultiheadAttention: "attention",
}
"""Kinds of layers by class; any other layer with parameters is named after its class."""


ON_META: dict[Callable[..., Any], Callable[..., Tensor]] = {
    nn.functional.relu: lambda values, inplace=False: values,
    nn.functional.linear: lambda values, weight, bias=None: values.new_empty(
        (*values.shape[:-1], len(weight))
    ),
}
"""What these return on the meta device; torch's own way there imports its compiler, for 2 s."""


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
    # A copy on the meta device, without copying the weights first.
    memo = {id(tensor): tensor.to("meta") for tensor in module.buffers()} | {
        id(tensor): nn.Parameter(tensor.to("meta"), tensor.requires_grad)
        for tensor in module.parameters()
    }
    on_meta = copy.deepcopy(module, memo).eval()
    found = _FoundLayers(on_meta)
    for path, layer in on_meta.named_modules():
        if path in found.parameters:
            layer.register_forward_pre_hook(lambda layer, inputs, path=path: found.enter(path))
            layer.register_forward_hook(
                lambda layer, *call, path=path: found.leave(path, layer, call[:2], call[2]),
                with_kwargs=True,
            )
    with torch.no_grad(), found:
        on_meta(**{key: value.to("meta") for key, value in example.items()})

    missed = [p for p, parameter in on_meta.named_parameters() if parameter not in found.counted]
    if missed:
        raise UserError(
            f"cannot describe {name}: one call does not reach {missed[0]} and "
            f"{len(missed) - 1} more parameters, which would not be counted"
        )
    return Network(name, tuple(found.layers.values()), cut=0).cut_before(cut)


class _FoundLayers(TorchFunctionMode):
    """The layers that one call reaches, and those of parameters that a function of torch takes.

    parameters: of every layer that is called as a whole, by its path.
    layers: found so far, by name.
    counted: parameters that they have counted.
    active: parameters of the layers that are being called.
    """

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.names = {parameter: path for path, parameter in module.named_parameters()}
        self.parameters = _parameters_by_layer(module)
        self.layers: dict[str, Layer] = {}
        self.counted: set[Tensor] = set()
        self.active: set[Tensor] = set()

    def enter(self, path: str) -> None:
        """Begin a call of a layer."""
        self.active.update(self.parameters[path])

    def leave(self, path: str, layer: nn.Module, arguments: Any, output: Any) -> None:
        """Add a layer that was called."""
        self.active.difference_update(self.parameters[path])
        output = _tensors(output)[0]
        # A table of biases is called with nothing.
        inputs = next(iter(_tensors(arguments)), output)
        self._add(_describe(path, layer, self._count(self.parameters[path]), inputs, output))

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call a function, and add the parameters that it takes while no layer has them."""
        output = ON_META.get(func, func)(*args, **(kwargs or {}))
        tensors = _tensors((args, kwargs))
        loose = [tensor for tensor in tensors if tensor in self.names and tensor not in self.active]
        if isinstance(output, Tensor) and loose:
            width = output.shape[-1] if output.ndim else 1
            if func is nn.functional.linear:
                name, count = self.names[loose[0]].removesuffix(".weight"), self._count(loose)
                products = output.numel() // width * loose[0].numel()
                biases = output.numel() if len(loose) > 1 else 0
                inputs = tensors[0].shape[-1]
                self._add(Layer(name, "dense", count, inputs, width, products, biases))
            for parameter in loose:
                if parameter not in self.counted:
                    name, count = self.names[parameter], self._count([parameter])
                    self._add(Layer(name, "parameter", count, parameter.shape[-1], width))
        return output

    def _count(self, parameters: list[Tensor]) -> int:
        """Return the elements of the parameters that no layer has counted, and count them."""
        count = sum(parameter.numel() for parameter in set(parameters) - self.counted)
        self.counted.update(parameters)
        return count

    def _add(self, layer: Layer) -> None:
        """Add one call of a layer: its parameters count once, its products each time."""
        if earlier := self.layers.get(layer.name):
            layer = replace(
                earlier,
                products=earlier.products + layer.products,
                bias_additions=earlier.bias_additions + layer.bias_additions,
            )
        self.layers[layer.name] = layer


def _tensors(nest: Any) -> list[Tensor]:
    """Return the tensors of a nest of tuples, lists and dicts, in order."""
    return [leaf for leaf in tree_leaves(nest) if isinstance(leaf, Tensor)]


def _parameters_by_layer(module: nn.Module) -> dict[str, list[Tensor]]:
    """Return the parameters of every layer that is called as a whole, by its path.

    Attention of torch's own uses the parameters of its output projection without calling it. What
    a module of several layers has for itself belongs to none of them.
    """
    parts = {
        part
        for layer in module.modules()
        if isinstance(layer, nn.MultiheadAttention)
        for part in layer.children()
    }
    found = {}
    for path, layer in module.named_modules():
        every, its_own = [*layer.parameters()], [*layer.parameters(recurse=False)]
        whole = isinstance(layer, nn.MultiheadAttention) or len(its_own) == len(every)
        if layer not in parts and every and whole:
            found[path] = every
    return found


def _describe(path: str, layer: nn.Module, count: int, inputs: Tensor, output: Tensor) -> Layer:
    """Return one layer from one call of it.

    Convolutions see whole maps; every other layer works along the last axis, token by token.
    """
    kind = next((kind for cls, kind in KINDS.items() if isinstance(layer, cls)), None)
    weights, biases = _products(layer)
    if kind == "convolution":
        positions = math.prod(output.shape[2:])
        entering, leaving = (math.prod(values.shape[1:]) for values in (inputs, output))
    else:
        leaving = output.shape[-1]
        positions = output.numel() // leaving
        entering = 1 if kind == "embedding" else inputs.shape[-1]
    return Layer(
        path, kind or type(layer).__name__.lower(), count, entering, leaving,
        products=positions * sum(weight.numel() for weight in weights),
        bias_additions=positions * sum(bias.numel() for bias in biases if bias is not None),
    )  # fmt: skip


def _products(layer: nn.Module) -> tuple[list[Tensor], list[Tensor | None]]:
    """Return the weights that a layer multiplies by at every position, and its biases."""
    if isinstance(layer, nn.MultiheadAttention):
        output = layer.out_proj
        return [layer.in_proj_weight, output.weight], [layer.in_proj_bias, output.bias]
    if isinstance(layer, _ConvNd | nn.Linear):
        return [layer.weight], [layer.bias]
    return [], []
