"""The description of a task's network on disk, so that counting costs needs no torch."""

import json
from dataclasses import asdict
from pathlib import Path

from fbftl.cost.layers import Layer, Network
from fbftl.files import write_json


def write_network(path: str | Path, network: Network) -> None:
    """Write a network's layers and cut as JSON."""
    write_json(path, asdict(network))


def read_network(path: str | Path) -> Network:
    """Read what `write_network` wrote."""
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    layers = tuple(Layer(**layer) for layer in document.pop("layers"))
    return Network(layers=layers, **document)
