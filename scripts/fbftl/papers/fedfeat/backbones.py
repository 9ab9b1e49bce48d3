"""The two backbones of Table I, laid out, and what a round of them weighs: closed forms.

Pooling by 2 after each convolution, and a padding that keeps the size, are the public code's; the
table has kernels and widths only.
"""

from collections.abc import Mapping
from math import prod
from typing import Any

from fbftl.models.chain import chain_of

TABLE_I: Mapping[str, Mapping[str, Any]] = {
    "cnn": {"kind": "cnn", "channels": [[32], [64]], "kernel": 5, "fc": [512], "cut": "pool2"},
    "mlp": {"kind": "mlp", "fc": [512, 512], "cut": "relu_fc2"},
}
"""As a task names its networks."""

DATASETS = {
    "cifar10": ((32, 32, 3), 10),
    "cifar100": ((32, 32, 3), 100),
    "mnist": ((28, 28, 1), 10),
    "fmnist": ((28, 28, 1), 10),
}
"""Height, width and channels of the images, and their classes."""


def backbone(network: Mapping[str, Any]) -> str:
    """Return `table1` for a network that has the widths of Table I, else `narrower`."""
    wanted = TABLE_I.get(network["kind"], {})
    same = all(network.get(key) == value for key, value in wanted.items())
    return "table1" if same else "narrower"


def round_weight(kind: str, dataset: str, samples: int) -> dict[str, float]:
    """Return the floats that a client with so many samples sends in a round of FedFeat+.

    `weights` of the model, `width` of one sample's features, its `samples`, `features` of them all,
    and what these add to the model, as a `share` of it.

    Args:
        kind: cnn or mlp.
        dataset: one of `DATASETS`.
        samples: of the client.
    """
    image, classes = DATASETS[dataset]
    block = TABLE_I[kind]
    layers = chain_of(block, image, classes).layers()
    shape: tuple[int, ...] = image
    for layer in layers:
        shape = layer.output(shape)
        if layer.name == block["cut"]:
            break
    width = prod(shape)
    weights, features = sum(layer.parameters for layer in layers), width * samples
    return {
        "weights": weights,
        "width": width,
        "samples": samples,
        "features": features,
        "share": features / weights,
    }
