"""Open published features as a task's own: look at every byte once, and note who holds what."""

from pathlib import Path
from typing import Any

from fbftl.cost.layers import write_network
from fbftl.data.clients import write_clients
from fbftl.features.publication.clients import holders
from fbftl.features.publication.conform import require_right
from fbftl.features.publication.network import with_head
from fbftl.features.publication.place import open_published
from fbftl.ground.files import write_json, write_text
from fbftl.ground.logs import run_job
from fbftl.study.elsewhere import manifest_at


def main(
    place: str, expected: str, head: list[int], root: str, manifest: str, published: str,
    clients: str, network: str,
) -> None:  # fmt: skip
    """Check published features, and write what other stages would have made.

    Args:
        place: folder, zip or URL.
        expected: digest that they must have.
        head: widths of the hidden layers of the task's head.
        root: where a note of the place goes.
        manifest: where the local manifest goes, by which jobs open the features.
        published: where the publication's own manifest is kept.
        clients: path of the client file, which holds no images.
        network: path of the description of the network that the features came from.
    """
    document = manifest_at(place, expected)
    about = document["about"]
    store = open_published(place, document, Path(manifest))
    require_right(store, about)
    write_clients(clients, holders(store), about["attributes"])
    write_network(network, with_head(about["network"], head, about["classes"]))
    write_json(published, document)
    write_text(root, f"{place}\n")


def main_of_job(job: Any) -> None:
    """Open what a job asks for."""
    main(
        job.params.place,
        job.params.expected,
        job.params.head,
        job.output.root,
        job.output.manifest,
        job.output.published,
        job.output.clients,
        job.output.network,
    )


if __name__ == "__main__":
    run_job(snakemake, main_of_job)
