"""Uploads of any number of clients as one sum: encoded, sent, read and added up as they come.

Of a message nothing is kept but its length. A sum says which clients it covers, so that parts which
several machines made are joined without a gap and without counting anybody twice.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError, required
from fbftl.ground.files import damaged, parsing, replacing
from fbftl.messages.codec import Compression, encode_many
from fbftl.messages.codec.many import decode_many
from fbftl.messages.drawn_clients import DrawnClients
from fbftl.messages.exact_statistics import ExactStatistics

KIND = "sum of uploads"
"""What messages call such a file."""


@dataclass(frozen=True, eq=False)
class UploadSum:
    """What a server knows of the uploads of neighbouring clients.

    first, last: the clients are first to last - 1.
    bits: of all messages, headers included.
    statistics: of what was read from them.
    made_by: what decides the uploads, JSON-ready; sums of other uploads do not add up.
    """

    first: int
    last: int
    bits: int
    statistics: ExactStatistics
    made_by: dict[str, Any]

    def __add__(self, other: "UploadSum") -> "UploadSum":
        """Return the sum of both, the clients of `other` following.

        Raises:
            UserError: if they do not follow, or the two are sums of other uploads.
        """
        if self.made_by != other.made_by:
            raise UserError(
                f"uploads of clients from {self.first:,} and from {other.first:,} were made in "
                "different ways; sum all of them with one configuration"
            )
        if self.last != other.first:
            raise UserError(
                f"uploads up to client {self.last - 1:,} are followed by those from client "
                f"{other.first:,}; sum what lies between, each client once"
            )
        return replace(
            self,
            last=other.last,
            bits=self.bits + other.bits,
            statistics=self.statistics + other.statistics,
        )

    def without(self, deleted: "UploadSum") -> ExactStatistics:
        """Return the statistics without those of some of the clients, as if they had never sent.

        Raises:
            UserError: if they are not among the clients, or the two are sums of other uploads.
        """
        inside = self.first <= deleted.first and deleted.last <= self.last
        if not inside or self.made_by != deleted.made_by:
            raise UserError(
                f"clients {deleted.first:,} to {deleted.last - 1:,} are not among those whose "
                f"uploads were summed, {self.first:,} to {self.last - 1:,}"
            )
        return self.statistics - deleted.statistics


def sum_uploads(clients: DrawnClients, bits: int, first: int, last: int) -> UploadSum:
    """Return the sum of what clients first to last - 1 upload, each in a message of its own.

    Args:
        clients: whose samples are drawn.
        bits: q of every message.
        first: number of the first client.
        last: number behind the last client, above `first`.
    """
    compression = Compression(bits)
    total, sent = ExactStatistics.nothing(clients.classes, clients.width), 0
    for values, labels in clients.blocks(first, last):
        messages = encode_many(values, labels, clients.classes, compression)
        sent += 8 * sum(map(len, messages))
        read = decode_many(messages)
        rows = read.values.reshape(-1, clients.width)
        total += ExactStatistics.of(rows, required(read.labels).reshape(-1), clients.classes)
    return UploadSum(first, last, sent, total, clients.document() | {"bits": bits})


def join_sums(sums: Sequence[UploadSum]) -> UploadSum:
    """Return the sum of all, in the order of their clients.

    Raises:
        UserError: if a part is missing between two of them, or they overlap or do not fit.
    """
    ordered = sorted(sums, key=lambda part: part.first)
    total = ordered[0]
    for part in ordered[1:]:
        total += part
    return total


def write_sum(path: str | Path, upload_sum: UploadSum) -> None:
    """Write a sum as safetensors, atomically; equal sums give equal bytes."""
    from safetensors.numpy import save

    statistics = upload_sum.statistics
    document = {
        "first": upload_sum.first,
        "last": upload_sum.last,
        "bits": upload_sum.bits,
        "fraction_bits": statistics.fraction_bits,
        "sha256": statistics.sha256(),
        "made_by": upload_sum.made_by,
    }
    named = dict(zip(("counts", "sums", "scatter"), statistics.arrays(), strict=True))
    with replacing(path) as temporary:
        # One entry of metadata: the library writes several in any order.
        temporary.write_bytes(save(named, {"sum": json.dumps(document, sort_keys=True)}))


def read_sum(path: str | Path) -> UploadSum:
    """Read a sum.

    Raises:
        UserError: if the file is missing, damaged or no sum.
    """
    from safetensors import SafetensorError, safe_open

    if not Path(path).is_file():
        raise UserError(f"{KIND} {path} is missing; make it again")
    try:
        with parsing(path, KIND), safe_open(path, "numpy") as file:
            document = json.loads(file.metadata()["sum"])
            arrays = (file.get_tensor(name) for name in ("counts", "sums", "scatter"))
            statistics = ExactStatistics(*arrays, fraction_bits=document["fraction_bits"])
            if statistics.sha256() != document["sha256"]:
                raise ValueError("its numbers are not those that were written")
            clients = document["first"], document["last"]
            return UploadSum(*clients, document["bits"], statistics, document["made_by"])
    except SafetensorError as error:
        raise damaged(path, KIND, error) from error


def read_parts(paths: Sequence[str | Path], spans: Sequence[tuple[int, int]]) -> list[UploadSum]:
    """Read the parts of a sum, all or none.

    Args:
        paths: files of the parts.
        spans: the clients (first, last + 1) that each must cover.

    Raises:
        UserError: naming every part that is missing, damaged or of other clients, and its clients.
    """
    parts, faults = [], []
    for path, (first, last) in zip(paths, spans, strict=True):
        try:
            part = read_sum(path)
            if (part.first, part.last) != (first, last):
                raise UserError(
                    f"the {KIND} {path} is of clients {part.first:,} to {part.last - 1:,}"
                )
            parts.append(part)
        except UserError as error:
            faults.append(f"clients {first:,} to {last - 1:,}: {error}")
    if faults:
        raise UserError(
            f"nothing was summed, because {len(faults)} of {len(paths)} shards are not there: "
            f"{'; '.join(faults)}"
        )
    return parts
