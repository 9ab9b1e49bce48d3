"""A network as the cost model sees it: trainable layers in order, and the cut between them."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

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

    def __post_init__(self) -> None:
        if not 0 <= self.cut < len(self.layers):
            raise ValueError(f"cut {self.cut} is outside the {len(self.layers)} layers")

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


def convolution(name: str, channels_in: int, channels_out: int, kernel: int, side: int) -> Layer:
    """Return a 2-d convolution with bias, stride 1 and same padding, over a square map.

    Args:
        name: name of the layer.
        channels_in: c^-.
        channels_out: c^+.
        kernel: side of the square kernel, a' = b'.
        side: side of the map, a^- = b^-.
    """
    weights = kernel * kernel * channels_in * channels_out
    positions = side * side
    return Layer(
        name,
        "convolution",
        parameters=weights + channels_out,
        inputs=positions * channels_in,
        outputs=positions * channels_out,
        products=positions * weights,
        bias_additions=positions * channels_out,
    )


NETWORK = "network description"
"""What the file is called in sentences."""


def write_network(path: str | Path, network: Network) -> None:
    """Write a network's layers and cut as JSON."""
    write_json(path, asdict(network))


def read_network(path: str | Path) -> Network:
    """Read what `write_network` wrote.

    Raises:
        UserError: if it is no JSON, lacks a part or has one more, or counts what cannot be.
    """
    document = read_json(path, NETWORK)
    with parsing(path, NETWORK):
        layers = tuple(_layer(layer) for layer in document.pop("layers"))
        _require_known(Network, document, beside={"layers"})
        if type(document["name"]) is not str or not document["name"]:
            raise ValueError(f"its name is {document['name']!r:.40}")
        _require_counts(document, "cut", *({"cut_width"} if document["cut_width"] else ()))
        return Network(layers=layers, **document)


def _layer(fields: dict[str, Any]) -> Layer:
    """Return a layer of a description.

    Raises:
        ValueError: if it is none.
    """
    _require_known(Layer, fields)
    names = ("name", "kind")
    if not all(type(fields[name]) is str and fields[name] for name in names):
        raise ValueError(
            f"name and kind of a layer are {fields['name']!r:.40}, {fields['kind']!r:.40}"
        )
    _require_counts(fields, *(part for part in fields if part not in names))
    return Layer(**fields)


def _require_known(kind: type, described: dict[str, Any], beside: Collection[str] = ()) -> None:
    """Raise ValueError unless exactly the fields of a dataclass are told."""
    fields = kind.__dataclass_fields__.keys() - set(beside)
    if differing := sorted(fields ^ dict(described).keys()):
        raise ValueError(f"{differing[0]!r:.40} is missing or unknown")


def _require_counts(fields: dict[str, Any], *parts: str) -> None:
    """Raise ValueError unless parts are whole numbers of at least 0."""
    for part in parts:
        if type(fields[part]) is not int or fields[part] < 0:
            raise ValueError(f"{part} is {fields[part]!r:.40}")
