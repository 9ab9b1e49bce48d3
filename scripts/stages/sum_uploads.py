"""Sum what a stretch of clients uploads: draw, encode, read and add up, block by block."""

from typing import Any

from fbftl.exchange.upload_sums import sum_uploads, write_sum
from fbftl.ground.binding import run_by_name
from fbftl.messages.drawn_clients import DrawnClients
from fbftl.study.upload_tree import UploadTree


def main(uploads: dict[str, Any], node: str, part: str) -> None:
    """Write the sum of one shard.

    Args:
        uploads: the block `upload_sums` of the configuration.
        node: place of the shard among all.
        part: where the sum goes.
    """
    first, last = UploadTree.of(uploads).span((0, int(node)))
    clients = DrawnClients(*(uploads[key] for key in ("samples", "width", "classes", "seed")))
    write_sum(part, sum_uploads(clients, uploads["bits"], first, last))


if __name__ == "__main__":
    run_by_name(snakemake, main)
