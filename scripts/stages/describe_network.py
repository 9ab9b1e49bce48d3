"""Describe the layers of a task's network, so that counting costs needs no weights and no torch."""

from typing import Any

from fbftl.data.clients import ClientFile
from fbftl.ground.files import read_json
from fbftl.models.cost.layers import write_network
from fbftl.models.describe import describe


def main(
    clients: str, source: str, network: str, features: dict[str, Any], head: list[int]
) -> None:  # fmt: skip
    """Write the description.

    Args:
        clients: path of the client file, for the images' shape and the classes.
        source: path of the source model's manifest.
        network: path of the description to write.
        features: of the task's config block `features` the cut, the pooling and the input.
        head: widths of the head's hidden layers.
    """
    with ClientFile(clients) as samples:
        image, classes = samples.image(), samples.classes()
    manifest = read_json(source, "source model's manifest")
    write_network(network, describe(manifest, features, image, head, classes))
