"""A network as a chain of named layers, laid out without torch.

`networks` builds what is laid out here; a check before any job reads the names. Layers are named
as in the VGG paper: `conv1_1`, `relu1_1`, ..., `pool1`, ..., `flatten`, `fc1`, `relu_fc1`,
`drop_fc1`, ..., `output`. A normalisation (`norm1_1`, `norm_fc1`) stands before its ReLU.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.models.cost.layers import Layer

TRAINED = ("convolution", "dense")
"""Kinds of layers without which a part of a network has nothing to train."""


@dataclass(frozen=True)
class Planned:
    """One layer to be: its name, its kind, and the options of torch's module of that kind."""

    name: str
    kind: str
    options: Mapping[str, Any]

    @property
    def parameters(self) -> int:
        """Weights and biases."""
        match self.kind, self.options:
            case "convolution", {"in_channels": i, "out_channels": o, "kernel_size": side}:
                return o * (i * side**2 + 1)
            case "dense", {"in_features": i, "out_features": o}:
                return o * (i + 1)
            case _, {"num_features": features}:
                return 2 * features
        return 0

    def described(self, shape: tuple[int, ...]) -> Layer:
        """Return the layer as the cost model sees it, given the shape of an input."""
        match self.kind, self.options:
            case "convolution", {"in_channels": i, "kernel_size": side}:
                summed = i * side**2
            case "dense", {"in_features": i}:
                summed = i
            case _:
                summed = 0
        inputs, outputs = prod(shape), prod(self.output(shape))
        biases = outputs if summed else 0
        return Layer(
            self.name, self.kind, self.parameters, inputs, outputs, outputs * summed, biases
        )

    def output(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of an output for that of an input: height, width, channels, or a row."""
        match self.kind, self.options:
            case "convolution", {"out_channels": o, "kernel_size": side, "padding": around}:
                lost = side - 1 - 2 * around
                return shape[0] - lost, shape[1] - lost, o
            case "pool", {"kernel_size": side}:
                return -(-shape[0] // side), -(-shape[1] // side), shape[2]
            case "flatten", _:
                return (prod(shape),)
            case "dense", {"out_features": o}:
                return (o,)
        return shape


@dataclass(frozen=True)
class Chain:
    """A convolutional network; without blocks of convolutions it is a multi-layer perceptron.

    image: height, width and channels of the images.
    fc: widths of the hidden dense layers.
    channels: per block, the output channels of its convolutions.
    kernel: side of the convolutions' kernels, an odd number.
    padding: same keeps a map's size, valid shrinks it by kernel - 1.
    pool: side and stride of the max-pooling that ends a block (odd sizes rounded up), one number
        for all blocks or one for each; 1 leaves it out.
    norm: none, or batch for batch normalisation before every ReLU.
    dropout: rate after each hidden dense layer.
    pool_dropout: rate at each block's end; at 0 there is no such layer.
    last: relu, or linear for a last hidden layer without a ReLU.
    init: initial values: torch's own, or he or fan_out, see `fbftl.models.networks.initialise`.
    """

    image: tuple[int, int, int]
    classes: int
    fc: Sequence[int]
    channels: Sequence[Sequence[int]] = ()
    kernel: int = 3
    padding: str = "same"
    pool: int | Sequence[int] = 2
    norm: str = "none"
    dropout: float = 0.0
    pool_dropout: float = 0.0
    last: str = "relu"
    init: str = "torch"

    def layers(self) -> list[Planned]:
        """Return the layers in forward order.

        Raises:
            UserError: if the image becomes too small, or `pool` is not one for each block.
        """
        maps: list[Planned] = []
        shape: tuple[int, ...] = self.image
        pools = [self.pool] * len(self.channels) if isinstance(self.pool, int) else self.pool
        if len(pools) != len(self.channels):
            raise UserError(
                f"the network's pool lists {len(pools)} sizes for {len(self.channels)} blocks of "
                "channels; give a size for each block, or one for all"
            )
        for block, (widths, pool) in enumerate(zip(self.channels, pools, strict=True), 1):
            for number, width in enumerate(widths, start=1):
                layers = list(self._convolution(f"{block}_{number}", shape[2], width))
                maps += layers
                shape = layers[0].output(shape)
                if min(shape[:2]) < 1:
                    raise UserError(
                        f"the network's kernel is {self.kernel} with padding: valid, which leaves "
                        f"nothing of images of {self._pixels}; remove blocks or set padding: same"
                    )
            if pool > 1:
                if max(shape[:2]) == 1:
                    raise UserError(
                        f"the network's channels have {len(self.channels)} blocks, but images of "
                        f"{self._pixels} can be pooled {block - 1} times only; remove blocks"
                    )
                options = {"kernel_size": pool, "ceil_mode": True}
                maps.append(Planned(f"pool{block}", "pool", options))
                shape = maps[-1].output(shape)
            if self.pool_dropout:
                maps.append(Planned(f"drop{block}", "dropout", {"p": self.pool_dropout}))
        return [*maps, Planned("flatten", "flatten", {}), *self._dense(prod(shape))]

    @property
    def _pixels(self) -> str:
        return f"{self.image[0]} x {self.image[1]} pixels"

    def _convolution(self, name: str, inputs: int, outputs: int) -> Iterator[Planned]:
        around = self.kernel // 2 if self.padding == "same" else 0
        sizes = {"in_channels": inputs, "out_channels": outputs}
        window = {"kernel_size": self.kernel, "padding": around}
        yield Planned(f"conv{name}", "convolution", sizes | window)
        if self.norm == "batch":
            yield Planned(f"norm{name}", "norm of maps", {"num_features": outputs})
        yield Planned(f"relu{name}", "relu", {})

    def _dense(self, inputs: int) -> Iterator[Planned]:
        for number, width in enumerate(self.fc, start=1):
            yield Planned(f"fc{number}", "dense", {"in_features": inputs, "out_features": width})
            if self.norm == "batch":
                yield Planned(f"norm_fc{number}", "norm of rows", {"num_features": width})
            if number < len(self.fc) or self.last == "relu":
                yield Planned(f"relu_fc{number}", "relu", {})
            yield Planned(f"drop_fc{number}", "dropout", {"p": self.dropout})
            inputs = width
        yield Planned("output", "dense", {"in_features": inputs, "out_features": self.classes})


def described(chain: Chain) -> list[Layer]:
    """Return a chain's trained layers as the cost model sees them."""
    shape: tuple[int, ...] = chain.image
    layers = []
    for layer in chain.layers():
        layers.append(layer.described(shape))
        shape = layer.output(shape)
    return [layer for layer in layers if layer.parameters]


def cuttable(layers: Sequence[Planned]) -> list[str]:
    """Return the names of the layers that leave something to train on both sides when cut."""
    trained = [index for index, layer in enumerate(layers) if layer.kind in TRAINED]
    return [layer.name for layer in layers[trained[0] : trained[-1]]]


def check_networks(
    task: str, block: Mapping[str, Any], parts: Iterable[tuple[str, str]] = ()
) -> None:
    """Refuse networks of a task that cannot be built on its images, or cut where they say.

    Args:
        task: the task's name.
        block: its block of the configuration.
        parts: further cuts that settings ask for: network and last layer at the clients.

    Raises:
        UserError: naming the network's place, the fault and what is possible.
    """
    side = block["features"]["size"]
    vectors = block["source"].get("kind") == "vectors"
    image = VECTOR if vectors else (side, side, 1) if side else block["source"].get("image", LARGE)
    for name, network in block["networks"].items():
        _check(f"config: tasks.{task}.networks.{name}", network, tuple(image))
    for name, cut in parts:
        where = f"config: client_part of a setting on {task}: networks.{name}"
        _check(where, block["networks"][name] | {"cut": cut}, tuple(image))


VECTOR = (1, 1, 1)
"""A vector as an image, however many columns it has."""

LARGE = (2**14, 2**14, 1)
"""Images that fit any network, where a job will know how large they are."""


def _check(where: str, block: Mapping[str, Any], image: tuple[int, int, int]) -> None:
    try:
        names = cuttable(chain_of(block, image, classes=2).layers())
    except UserError as error:
        raise UserError(f"{where}: {error}") from error
    if block["cut"] not in names:
        possible = f"choose among {', '.join(names)}" if names else "give it a hidden layer"
        raise UserError(
            f"{where}.cut is '{block['cut']}', which leaves clients or server without a layer to "
            f"train; {possible}"
        )


def chain_of(block: Mapping[str, Any], image: tuple[int, int, int], classes: int) -> Chain:
    """Return the chain of a network as the configuration names it, with its `kind` and `cut`."""
    options = {key: value for key, value in block.items() if key not in ("kind", "cut")}
    return Chain(image=image, classes=classes, **options)
