"""Closed-form layers of the networks that papers count, those of paper thesis at any width.

VGG-16 with the CIFAR-10 head (Fig. 5, Table III) and FLAN-T5-small (Table IV). Networks of your
own are described by `fbftl.models.describe`.

The networks of Table 4.1 of paper thesis have any width. A width is a share of the units of every
hidden layer. Multiplications are those of one image's forward pass; normalisations, biases and
poolings cost none. A mixture of M_b bases costs M_b times what one of them does. The side of a
convolution's map is that after it; what enters one with a stride is not counted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fbftl.models.chain import Chain, described
from fbftl.models.cost.layers import Layer, Network, convolution, dense

VGG16_CHANNELS = ((64, 64), (128, 128), (256, 256, 256), (512, 512, 512), (512, 512, 512))
"""Output channels of the convolutions, block by block; a 2 x 2 max-pooling ends each block."""

VGG16_POOLED = 512 * 7 * 7
"""Inputs of the first dense layer: torchvision pools any map to 7 x 7."""

CIFAR_HEAD = (4096, 4096, 512, 10)
"""Widths of the trained head of paper fbftl."""


def vgg16(
    resolution: int = 224,
    frozen_dense: tuple[int, ...] = (4096,),
    head: tuple[int, ...] = CIFAR_HEAD,
) -> Network:
    """Return VGG-16 with a new head, cut before the head.

    Args:
        resolution: side of the square input in pixels, a multiple of 32.
        frozen_dense: widths of the pre-trained dense layers kept in the extractor; `(4096,)` is
            the cut of Table III, `(4096, 4096)` that of the authors' script (audit row A12).
        head: widths of the trained layers, the last being the number of classes.
    """
    *layers, _ = described(Chain((resolution, resolution, 3), 1, [], VGG16_CHANNELS))
    inputs = VGG16_POOLED
    for index, width in enumerate(frozen_dense, start=1):
        layers.append(dense(f"fc{index}", inputs, width))
        inputs = width
    cut = len(layers)
    for index, width in enumerate(head, start=1):
        layers.append(dense(f"head{index}", inputs, width))
        inputs = width
    return Network("vgg16", tuple(layers), cut)


@dataclass(frozen=True)
class T5Shape:
    """What a T5 is made of, gated (T5 1.1) or not; fields as in a Hugging Face ``config.json``.

    num_layers: encoder blocks.
    feed_forward_proj: ``relu`` (v1.0) or ``gated-gelu`` (v1.1).
    dropout_rate: dropout while training.
    scale_outputs: scale the decoder's output by d_model^-1/2, as checkpoints with a tied
        ``lm_head`` expect.
    """

    vocab_size: int
    d_model: int
    d_kv: int
    d_ff: int
    num_heads: int
    num_layers: int
    num_decoder_layers: int
    feed_forward_proj: str = "gated-gelu"
    relative_attention_num_buckets: int = 32
    relative_attention_max_distance: int = 128
    layer_norm_epsilon: float = 1e-6
    dropout_rate: float = 0.0
    scale_outputs: bool = False


FLAN_T5_SMALL = T5Shape(
    vocab_size=32128,
    d_model=512,
    d_kv=64,
    d_ff=1024,
    num_heads=6,
    num_layers=8,
    num_decoder_layers=8,
)


def t5(shape: T5Shape, trained_encoders: int, embedding_copies: int = 1) -> Network:
    """Return a T5 with an untied output layer, one `Layer` per block, cut inside the encoder.

    Inputs, outputs and multiplications are per token and count the dense layers alone: scores of
    the attention, which grow with the length, are left out. There are no biases.

    Args:
        shape: the sizes.
        trained_encoders: encoder blocks from the cut on; all of them freeze the embedding alone.
        embedding_copies: how often to count the one embedding that encoder and decoder share;
            Table IV counts it three times (audit row A8).
    """
    blocks, width = shape.num_layers, shape.d_model
    attention = 4 * width * shape.num_heads * shape.d_kv
    gated = shape.feed_forward_proj.startswith("gated")
    feed_forward = (3 if gated else 2) * width * shape.d_ff
    position_bias = shape.relative_attention_num_buckets * shape.num_heads
    table = shape.vocab_size * width

    def block(stack: str, index: int, attentions: int) -> Layer:
        """Return one block; only a stack's first one owns the relative position bias."""
        weights = attentions * attention + feed_forward
        norms = (attentions + 1) * width
        return Layer(
            f"{stack}.{index}",
            "transformer block",
            parameters=weights + norms + (position_bias if index == 0 else 0),
            inputs=width,
            outputs=width,
            products=weights,
        )

    def norm(stack: str) -> Layer:
        return Layer(f"{stack}.norm", "norm", width, width, width)

    embedding = Layer("embedding", "embedding", table, 1, width)
    layers = (
        *(embedding,) * embedding_copies,
        *(block("encoder", index, attentions=1) for index in range(blocks)),
        norm("encoder"),
        *(block("decoder", index, attentions=2) for index in range(shape.num_decoder_layers)),
        norm("decoder"),
        Layer("lm_head", "dense", table, width, shape.vocab_size, products=table),
    )
    return Network("t5", layers, cut=embedding_copies + blocks - trained_encoders)


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
