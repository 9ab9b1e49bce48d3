"""Describe the layers of a task's networks: counting costs then needs no weights and no torch."""

from typing import Any

from fbftl.data.clients import ClientFile
from fbftl.ground.files import read_json
from fbftl.models.cost.layers import write_network
from fbftl.models.describe import describe, describe_named


def main(
    clients: str, source: str, network: str, features: dict[str, Any], head: list[int]
) -> None:  # fmt: skip
    """Write the description of the source network up to the cut with the task's head.

    Args:
        clients: path of the client file, for the images' shape and the classes.
        source: path of the source model's manifest.
        network: path of the description to write.
        features: of the task's config block `features` the cut, the pooling and the input.
        head: widths of the head's hidden layers.
    """
    manifest, image, classes = _of_task(clients, source)
    write_network(network, describe(manifest, features, image, head, classes))


def named(
    clients: str, source: str, description: str, features: dict[str, Any], network: str,
    block: dict[str, Any],
) -> None:  # fmt: skip
    """Write the description of a network that the task names.

    Args:
        clients: path of the client file, for the images' shape and the classes.
        source: path of the source model's manifest, for the preprocessing.
        description: path of the description to write.
        features: `size`, `mean` and `std` of the task's config block `features`.
        network: the network's name.
        block: its block of the configuration.
    """
    manifest, image, classes = _of_task(clients, source)
    write_network(description, describe_named(network, block, manifest, features, image, classes))


def _of_task(clients: str, source: str) -> tuple[dict[str, Any], tuple[int, int, int], int]:
    """Return the source model's manifest, the images' shape and the number of classes."""
    with ClientFile(clients) as samples:
        image, classes = samples.image(), samples.classes()
    return read_json(source, "source model's manifest"), image, classes
