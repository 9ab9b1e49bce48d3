"""Join the sums of neighbouring stretches of clients, all of them or none."""

from collections.abc import Sequence
from typing import Any

from fbftl.exchange.upload_sums import join_sums, read_parts, write_sum
from fbftl.ground.binding import run_by_name
from fbftl.study.upload_tree import UploadTree


def main(uploads: dict[str, Any], level: str, node: str, parts: Sequence[str], part: str) -> None:
    """Write the sum of several sums.

    Args:
        uploads: the block `upload_sums` of the configuration.
        level: of the tree of sums, above that of shards.
        node: place on that level.
        parts: the sums of the level below that it is joined from.
        part: where the sum goes.
    """
    tree = UploadTree.of(uploads)
    spans = [tree.span(below) for below in tree.parts((int(level), int(node)))]
    write_sum(part, join_sums(read_parts(parts, spans)))


if __name__ == "__main__":
    run_by_name(snakemake, main)
