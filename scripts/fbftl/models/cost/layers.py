"""A network as the cost model sees it: trainable layers in order, and the cut between them."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.ground.files import parsing, read_json, write_json


@dataclass(frozen=True)
class Layer:
    """One layer with trainable parameters; all counts are per sample where that applies.

    `multiplications` counts the additions of a bias as the paper does (000, Sec. III-C), where a
    dense layer costs N^+ (N^- + 1); `products` counts the multiplications alone.

    parameters: T_m, numbers that are trained.
    inputs: N_m^-, numbers that enter per sample (per token in a sequence model).
    outputs: N_m^+, numbers that leave per sample (per token in a sequence model).
    """

    name: str
    kind: str
    parameters: int
    inputs: int
    outputs: int
    products: int = 0
    bias_additions: int = 0

    @property
    def multiplications(self) -> int:
        """X_m: multiplications of one forward pass as the paper counts them, biases included."""
        return self.products + self.bias_additions


@dataclass(frozen=True)
class Network:
    """Layers in forward order, cut before layer `cut` (m_c, counted from 0).

    cut_width: numbers that leave the extractor per sample, where pooling or flattening stands
        between it and layer `cut`; None if they are what enters that layer.
    """

    name: str
    layers: tuple[Layer, ...]
    cut: int
    cut_width: int | None = None

    @property
    def extractor(self) -> tuple[Layer, ...]:
        """The layers m < m_c, frozen at the clients."""
        return self.layers[: self.cut]

    @property
    def head(self) -> tuple[Layer, ...]:
        """The layers m >= m_c, trained on the features."""
        return self.layers[self.cut :]

    @property
    def feature_width(self) -> int:
        """N^-(m_c): numbers in one sample's features (one token's in a sequence model)."""
        return self.head[0].inputs if self.cut_width is None else self.cut_width

    def cut_before(self, name: str) -> "Network":
        """Return this network cut before the named layer.

        Raises:
            UserError: if no layer has that name.
        """
        names = [layer.name for layer in self.layers]
        if name not in names:
            raise UserError(
                f"network {self.name!r} has no layer {name!r} to cut before; "
                f"its layers are {', '.join(names)}"
            )
        return replace(self, cut=names.index(name))


def parameters(layers: Iterable[Layer]) -> int:
    """Return the sum of T_m."""
    return sum(layer.parameters for layer in layers)


def multiplications(layers: Iterable[Layer]) -> int:
    """Return the sum of X_m: one sample's forward pass, biases counted."""
    return sum(layer.multiplications for layer in layers)


def products(layers: Iterable[Layer]) -> int:
    """Return one sample's multiplications alone, biases not counted."""
    return sum(layer.products for layer in layers)


def dense(name: str, inputs: int, outputs: int) -> Layer:
    """Return a fully connected layer with bias: T = N^+ (N^- + 1)."""
    weights = inputs * outputs
    return Layer(name, "dense", weights + outputs, inputs, outputs, weights, outputs)


def convolution(
    name: str, channels_in: int, channels_out: int, kernel: int, side: int, bias: bool = True
) -> Layer:
    """Return a 2-d convolution with stride 1 and same padding, over a square map.

    Args:
        name: name of the layer.
        channels_in: c^-.
        channels_out: c^+.
        kernel: side of the square kernel, a' = b'.
        side: side of the map, a^- = b^-.
        bias: whether it has one.
    """
    weights = kernel * kernel * channels_in * channels_out
    positions = side * side
    return Layer(
        name,
        "convolution",
        parameters=weights + bias * channels_out,
        inputs=positions * channels_in,
        outputs=positions * channels_out,
        products=positions * weights,
        bias_additions=bias * positions * channels_out,
    )


NETWORK = "network description"
"""What the file is called in sentences."""


def write_network(path: str | Path, network: Network) -> None:
    """Write a network's layers and cut as JSON."""
    write_json(path, asdict(network))


def read_network(path: str | Path) -> Network:
    """Read what `write_network` wrote.

    Raises:
        UserError: if it is no JSON, or lacks a part or has one more.
    """
    document = read_json(path, NETWORK)
    with parsing(path, NETWORK):
        layers = tuple(Layer(**layer) for layer in document.pop("layers"))
        return Network(layers=layers, **document)
