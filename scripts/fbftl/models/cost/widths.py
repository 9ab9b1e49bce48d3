"""The networks of Table 4.1 of paper thesis at any width: their trained layers in closed form.

A width is a share of the units of every hidden layer. Multiplications are those of one image's
forward pass; normalisations, biases and poolings cost none. A mixture of M_b bases costs M_b times
what one of them does. The side of a convolution's map is that after it; what enters one with a
stride is not counted.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from fbftl.models.chain import Chain, described
from fbftl.models.cost.layers import Layer, convolution, dense

CLASSES = 10


def _norm(name: str, features: int) -> Layer:
    return Layer(name, "norm", 2 * features, features, features)


def digits_cnn(share: Fraction) -> list[Layer]:
    """Return the CNN of Table C.1 on images of 28 x 28 pixels in colour."""
    channels, dense_widths = (
        [int(full * share) for full in of] for of in ((64, 64, 128), (2048, 512))
    )
    blocks = [[width] for width in channels]
    image, pools = (28, 28, 3), (2, 2, 1)
    return described(
        Chain(image, CLASSES, dense_widths, blocks, kernel=5, pool=pools, norm="batch")
    )


def alexnet(share: Fraction) -> list[Layer]:
    """Return AlexNet with batch normalisation on images of 256 x 256 pixels, 10 classes."""
    layers, inputs = [], 3
    shapes = ((64, 11, 63), (192, 5, 31), (384, 3, 15), (256, 3, 15), (256, 3, 15))
    for number, (full, kernel, side) in enumerate(shapes, start=1):
        width = int(full * share)
        layers += [convolution(f"conv{number}", inputs, width, kernel=kernel, side=side)]
        layers += [_norm(f"norm{number}", width)]
        inputs = width
    return layers + _dense(inputs * 6**2, [int(full * share) for full in (4096, 4096)])


def preact_resnet18(share: Fraction) -> list[Layer]:
    """Return PreActResNet18 on images of 32 x 32 pixels."""
    inputs = int(64 * share)
    layers = [convolution("conv", 3, inputs, kernel=3, side=32, bias=False)]
    for stage, (full, side) in enumerate(((64, 32), (128, 16), (256, 8), (512, 4)), start=1):
        width = int(full * share)
        for block in (1, 2):
            name = f"block{stage}_{block}"
            layers += [_norm(f"{name}.norm1", inputs), _norm(f"{name}.norm2", width)]
            layers += [
                convolution(f"{name}.conv1", inputs, width, kernel=3, side=side, bias=False),
                convolution(f"{name}.conv2", width, width, kernel=3, side=side, bias=False),
            ]
            if block == 1 and stage > 1:
                layers += [
                    convolution(f"{name}.shortcut", inputs, width, kernel=1, side=side, bias=False)
                ]
            inputs = width
    return [*layers, _norm("norm", inputs), dense("output", inputs, CLASSES)]


def _dense(inputs: int, widths: Sequence[int]) -> list[Layer]:
    """Return dense layers with normalisation, and the output after them."""
    layers = []
    for number, width in enumerate(widths, start=1):
        layers += [dense(f"fc{number}", inputs, width), _norm(f"norm_fc{number}", width)]
        inputs = width
    return [*layers, dense("output", inputs, CLASSES)]


TABLE_4_1: dict[str, Callable[[Fraction], list[Layer]]] = {
    "cifar10": preact_resnet18,
    "digits": digits_cnn,
    "domainnet": alexnet,
}
"""The network of each data set."""
