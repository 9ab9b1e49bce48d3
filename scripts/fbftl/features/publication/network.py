"""The network behind published features, with the head of the task that trains on them."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from fbftl.cost.layers import Layer, Network, dense


def with_head(published: Mapping[str, Any], head: Sequence[int], classes: int) -> Network:
    """Return the layers that the features came from, and a perceptron behind them.

    Args:
        published: the network as its manifest describes it, with whatever head it had there.
        head: widths of the hidden layers.
        classes: number of classes N.
    """
    layers = [Layer(**layer) for layer in published["layers"][: published["cut"]]]
    width = published["cut_width"]
    if width is None:
        width = published["layers"][published["cut"]]["inputs"]
    widths = [width, *head, classes]
    behind = [
        dense(f"head.head{number}", before, after)
        for number, (before, after) in enumerate(pairwise(widths), start=1)
    ]
    return Network(published["name"], (*layers, *behind), len(layers), published["cut_width"])
