"""The layers of a task's own network, extractor and head, as the cost model wants them."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from torch import nn

from fbftl.cost.layers import Network
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.models.cut.extractor import split
from fbftl.models.forward import Pool
from fbftl.models.heads import head_module
from fbftl.models.layer_trace import trace
from fbftl.models.source.manifest import build


def describe(
    source: Mapping[str, Any],
    features: Mapping[str, Any],
    image: tuple[int, int, int],
    head: Sequence[int],
    classes: int,
) -> Network:
    """Return the target network's layers, cut where the head begins.

    Args:
        source: the source model's manifest.
        features: config block `features` of the task: cut layer, pooling, preprocessing.
        image: height, width and channels of the clients' images.
        head: widths of the head's hidden layers.
        classes: number of classes N.

    Raises:
        UserError: if the cut cannot be made, naming the layers that can be cut.
    """
    preprocessing = Preprocessing.of(source["preprocessing"]).overridden(features)
    example = preprocess(np.zeros((2, *image), np.uint8), preprocessing)
    front, _ = split(build(source["architecture"]).eval(), features["cut"], example)
    pool = Pool(features["pool"])
    width = pool(front(example)).shape[1]
    head_layers = head_module([width, *head, classes], seed=0)
    whole = nn.Sequential(OrderedDict(extractor=front, pool=pool, head=head_layers))
    name = source["architecture"]["from"]
    return trace(whole, {"input": example[:1]}, cut="head.head1", name=name)
