"""The layers of a task's networks, in two parts each, as the cost model wants them."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from torch import Tensor, nn

from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.models.chain import chain_of
from fbftl.models.cost.layers import Network
from fbftl.models.cut import front
from fbftl.models.forward import Pool
from fbftl.models.heads import head_module
from fbftl.models.layer_trace import trace
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
