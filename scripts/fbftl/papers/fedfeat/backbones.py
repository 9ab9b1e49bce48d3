"""The two backbones of Table I, laid out, and what a round of them weighs: closed forms.

Pooling by 2 after each convolution, and a padding that keeps the size, are the public code's; the
table has kernels and widths only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class RoundWeight:
    """Floats that one client sends in a round of FedFeat+.

    weights: of the model.
    width: numbers of one sample's features.
    features: of all its samples.
    """

    weights: int
    width: int
    features: int

    @property
    def share(self) -> float:
        """What features add to the model, as a share of it."""
        return self.features / self.weights


def backbone(network: Mapping[str, Any]) -> str:
    """Return `table1` for a network that has the widths of Table I, else `narrower`."""
    wanted = TABLE_I.get(network["kind"], {})
    same = all(network.get(key) == value for key, value in wanted.items())
    return "table1" if same else "narrower"


def round_weight(kind: str, dataset: str, samples: int) -> RoundWeight:
    """Return what a client with so many samples sends in a round.

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
    return RoundWeight(sum(layer.parameters for layer in layers), width, width * samples)
