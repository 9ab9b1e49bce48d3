"""Solve a head from the sum of all uploads, and say what they took."""

from hashlib import sha256
from typing import Any

from fbftl.exchange.upload_sums import read_parts
from fbftl.ground.binding import run_by_name
from fbftl.ground.files import write_json
from fbftl.messages.drawn_clients import BLOCK, DrawnClients
from fbftl.training.closed_form import ridge

RATIO = 1e-4
"""λ over the mean eigenvalue of the second moments."""


def main(uploads: dict[str, Any], part: str, json: str) -> None:
    """Write clients, bits, digests, and the accuracy on clients that sent nothing.

    Args:
        uploads: the block `upload_sums` of the configuration.
        part: the sum of all uploads.
        json: where the numbers go.
    """
    (total,) = read_parts([part], [(0, uploads["clients"])])
    head = ridge(total.statistics.statistics(), [RATIO]).head
    clients = DrawnClients(*(uploads[key] for key in ("samples", "width", "classes", "seed")))
    first = BLOCK * (1 + uploads["clients"] // BLOCK)
    values, labels = next(clients.blocks(first, first + BLOCK))
    document = {
        "clients": uploads["clients"],
        "samples": int(total.statistics.counts.sum()),
        "bits": total.bits,
        "statistics": total.statistics.sha256(),
        "head": sha256(head.weights.tobytes() + head.bias.tobytes()).hexdigest(),
        "accuracy": head.accuracy(values.reshape(-1, clients.width), labels.reshape(-1)),
    }
    write_json(json, document)


if __name__ == "__main__":
    run_by_name(snakemake, main)
