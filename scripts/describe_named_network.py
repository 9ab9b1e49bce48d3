"""Describe the layers of a network that a task names, as `describe_network` does the task's own."""

from typing import Any

from fbftl.cost.layers import write_network
from fbftl.data.clients import ClientFile
from fbftl.ground.files import read_json
from fbftl.ground.logs import run_job
from fbftl.models.describe import describe_named


def main(
    clients: str, source: str, network: str, features: dict[str, Any], name: str,
    block: dict[str, Any],
) -> None:  # fmt: skip
    """Write the description.

    Args:
        clients: path of the client file, for the images' shape and the classes.
        source: path of the source model's manifest, for the preprocessing.
        network: path of the description to write.
        features: `size`, `mean` and `std` of the task's config block `features`.
        name: the network's name.
        block: its block of the configuration.
    """
    with ClientFile(clients) as samples:
        image, classes = samples.image(), samples.classes()
    manifest = read_json(source, "source model's manifest")
    write_network(network, describe_named(name, block, manifest, features, image, classes))


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.input.clients,
            job.input.source,
            job.output.network,
            job.params.features,
            job.wildcards.network,
            job.params.block,
        ),
    )
