"""Describe the layers of a network that a task names, as `describe_network` does the task's own."""

from typing import Any

from fbftl.data.clients import ClientFile
from fbftl.ground.files import read_json
from fbftl.models.cost.layers import write_network
from fbftl.models.describe import describe_named


def main(
    clients: str, source: str, description: str, features: dict[str, Any], network: str,
    block: dict[str, Any],
) -> None:  # fmt: skip
    """Write the description.

    Args:
        clients: path of the client file, for the images' shape and the classes.
        source: path of the source model's manifest, for the preprocessing.
        description: path of the description to write.
        features: `size`, `mean` and `std` of the task's config block `features`.
        network: the network's name.
        block: its block of the configuration.
    """
    with ClientFile(clients) as samples:
        image, classes = samples.image(), samples.classes()
    manifest = read_json(source, "source model's manifest")
    write_network(description, describe_named(network, block, manifest, features, image, classes))
