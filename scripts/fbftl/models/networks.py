"""The workflow's own source network: a small VGG-style CNN.

It is a flat `nn.Sequential` of named layers, so that it can be cut at any layer by slicing. It has
no batch normalisation: running statistics are no parameters, and averaging them over clients would
make FL differ from the update that the paper analyses.
"""

from collections import OrderedDict
from collections.abc import Sequence

from torch import nn

from fbftl.ground.errors import UserError


def vgg(
    image: tuple[int, int, int],
    channels: Sequence[Sequence[int]],
    fc: Sequence[int],
    classes: int,
    dropout: float = 0.0,
) -> nn.Sequential:
    """Return a VGG-style network with He's initial values, drawn from torch's global generator.

    Layers are named as in the VGG paper: `conv1_1`, `relu1_1`, ..., `pool1`, ..., `flatten`, then
    `fc1`, `relu_fc1`, `drop_fc1`, ..., `output`.

    Args:
        image: height, width and channels of the images.
        channels: per block, the output channels of its 3x3 convolutions; 2x2 max-pooling (stride
            2, odd sizes rounded up) ends each block.
        fc: widths of the hidden dense layers.
        classes: number of classes.
        dropout: rate after each hidden dense layer, active in train mode only.

    Raises:
        UserError: if there are more blocks than the image can be halved.
    """
    height, width, depth = image
    layers: OrderedDict[str, nn.Module] = OrderedDict()
    for block, widths in enumerate(channels, start=1):
        if max(height, width) == 1:
            raise UserError(
                f"network.channels has {len(channels)} blocks, but images of {image[0]} x "
                f"{image[1]} pixels can be halved {block - 1} times only; remove blocks"
            )
        for number, out in enumerate(widths, start=1):
            layers[f"conv{block}_{number}"] = nn.Conv2d(depth, out, 3, padding=1)
            layers[f"relu{block}_{number}"] = nn.ReLU()
            depth = out
        layers[f"pool{block}"] = nn.MaxPool2d(2, ceil_mode=True)
        height, width = (height + 1) // 2, (width + 1) // 2
    layers["flatten"] = nn.Flatten()
    features = depth * height * width
    for number, out in enumerate(fc, start=1):
        layers[f"fc{number}"] = nn.Linear(features, out)
        layers[f"relu_fc{number}"] = nn.ReLU()
        layers[f"drop_fc{number}"] = nn.Dropout(dropout)
        features = out
    layers["output"] = nn.Linear(features, classes)
    for layer in layers.values():
        if isinstance(layer, nn.Conv2d | nn.Linear):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)
    return nn.Sequential(layers)
