"""The workflow's own networks: flat `nn.Sequential`s of named layers, cut anywhere by slicing.

`vgg` is the small source network; `build` makes any chain, and `random_split` those that a task
names, which start at random at the clients. Elsewhere initial values are drawn from torch's global
generator.
"""

from collections import OrderedDict
from collections.abc import Sequence
from functools import partial

import torch
from torch import nn

from fbftl.ground.randomness import torch_seed
from fbftl.models.chain import Chain

MODULES: dict[str, type[nn.Module]] = {
    "convolution": nn.Conv2d,
    "norm of maps": nn.BatchNorm2d,
    "norm of rows": nn.BatchNorm1d,
    "relu": nn.ReLU,
    "pool": nn.MaxPool2d,
    "dropout": nn.Dropout,
    "flatten": nn.Flatten,
    "dense": nn.Linear,
}
"""torch's module of each kind of layer in a chain."""


def build(chain: Chain) -> nn.Sequential:
    """Return a network with torch's initial values.

    Raises:
        UserError: if the images are too small for it.
    """
    return nn.Sequential(
        OrderedDict((layer.name, MODULES[layer.kind](**layer.options)) for layer in chain.layers())
    )


def random_split(
    chain: Chain, cut: str, seed: int, *keys: int
) -> tuple[nn.Sequential, nn.Sequential]:
    """Return a network with random weights in eval mode, up to and including `cut` and after it.

    Args:
        chain: the network.
        cut: name of one of its layers.
        seed: of the initial values.
        keys: further integers that split the stream, for one of several networks.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed(seed, "init", *keys))
        network = build(chain).eval()
        initialise(network, chain.init)
    after = 1 + [name for name, _ in network.named_children()].index(cut)
    return network[:after], network[after:]


def vgg(
    image: tuple[int, int, int],
    channels: Sequence[Sequence[int]],
    fc: Sequence[int],
    classes: int,
    dropout: float = 0.0,
) -> nn.Sequential:
    """Return a VGG-style network, blocks of 3x3 convolutions, with He's initial values.

    It has no batch normalisation: running statistics are no parameters, and averaging them over
    clients would make FL differ from the update that the paper analyses.

    Args:
        image: height, width and channels of the images.
        channels: per block, the output channels of its convolutions.
        fc: widths of the hidden dense layers.
        classes: number of classes.
        dropout: rate after each hidden dense layer, active in train mode only.

    Raises:
        UserError: if there are more blocks than the image can be pooled.
    """
    network = build(Chain(image, classes, fc, channels, dropout=dropout))
    initialise(network, "he")
    return network


def initialise(network: nn.Module, how: str) -> None:
    """Draw a network's initial values anew.

    Args:
        network: of convolutions and dense layers.
        how: torch leaves them; he is He's normal and xavier Glorot's, both with biases 0; fan_out
            draws convolutions from a normal of variance 2/n, n the weights that leave an input
            (the kernel's places times the output channels), with biases 0, as paper eppfl's
            public code does, and leaves dense layers, which begin at 0.01 there.
    """
    he = partial(nn.init.kaiming_normal_, nonlinearity="relu")
    laws = {"he": he, "xavier": nn.init.xavier_normal_, "fan_out": partial(he, mode="fan_out")}
    drawn = nn.Conv2d if how == "fan_out" else nn.Conv2d | nn.Linear
    for layer in network.modules() if how in laws else ():
        if isinstance(layer, drawn):
            laws[how](layer.weight)
            nn.init.zeros_(layer.bias)
