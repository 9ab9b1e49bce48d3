"""Messages that the codec has made: their bytes or digests, what they say, and a sample measured.

The ledger knows the length of every message that was sent. What an entropy coder would make of
them, and how far what the server reads is from what the client wanted to say, is measured where
the content is at hand, in the training job, on a sample that costs next to nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np

from fbftl.ground.floats import FLOAT_BITS, FLOAT_BYTES
from fbftl.messages.codec import Compression, encode, encode_each
from fbftl.messages.codec.bitpack import (
    encode_histogram,
    entropy_bits,
    log2_choices,
    range_coded_bytes,
)
from fbftl.messages.codec.compression import RANGE_BYTES, Grid, finite_float32, select
from fbftl.messages.codec.encoder import label_bits
from fbftl.messages.codec.header import HEADER_BYTES


@dataclass(frozen=True, eq=False)
class EncodedRows:
    """Rows of values as messages of the codec, and what the server reads from them.

    wanted: (n, X) what the clients had to say, before compression.
    values: (n, X) float32, decoded.
    messages: n encoded messages, one per row.
    how_known: that all of the messages were made.
    """

    wanted: np.ndarray
    values: np.ndarray
    messages: list[bytes]
    how_known = "made"

    @cached_property
    def bits(self) -> np.ndarray:
        """Length of each message in bits (n,), header included."""
        return 8 * np.array([len(message) for message in self.messages], dtype=np.int64)

    @cached_property
    def digests(self) -> list[bytes]:
        """SHA-256 of each message."""
        return [sha256(message).digest() for message in self.messages]


@dataclass(frozen=True, eq=False)
class Encoded:
    """Messages that were made and forgotten again, which may be longer than memory.

    bits: (n,) length of each.
    digests: SHA-256 of each; None of those that were only counted, as long as those made.
    """

    bits: np.ndarray
    digests: Sequence[bytes | None]

    @property
    def how_known(self) -> str | list[str]:
        """Whether messages were made or counted: one word for all, or one for each."""
        words = ["counted" if digest is None else "made" for digest in self.digests]
        return words[0] if len(set(words)) == 1 else words

    def placed(self, rows: np.ndarray, count: int) -> "Encoded":
        """Return the messages at their rows among so many; those of all others are empty."""
        digests = placed(np.array(self.digests, dtype=object), rows, count)
        return Encoded(placed(self.bits, rows, count), digests.tolist())


def placed(values: np.ndarray, rows: np.ndarray, count: int) -> np.ndarray:
    """Return values (m,) at their rows (m,) among so many, and zero at all others."""
    if len(rows) == count:
        return values
    spread = np.zeros(count, dtype=values.dtype)
    spread[rows] = values
    return spread


def digested_messages(messages: Iterable[bytes]) -> Encoded:
    """Return length and digest of messages that are made one at a time."""
    bits, digests = [], []
    for message in messages:
        bits.append(8 * len(message))
        digests.append(sha256(message).digest())
    return Encoded(np.array(bits, dtype=np.int64), digests)


def encode_rows(
    values: np.ndarray,
    compression: Compression,
    labels: np.ndarray | None = None,
    classes: int | None = None,
) -> EncodedRows:
    """Encode each row of `values` (n, X) as a message, Eq. (22), with its label if there are any.

    Raises:
        ValueError: if `values` is empty or holds NaN or infinity, or a label is out of range.
    """
    messages, decoded = encode_each(values, labels, classes, compression)
    return EncodedRows(values, decoded, messages)


SAMPLED_UPLOADS = 64
"""Uploads of FbFTL that are measured, spread evenly over all."""


@dataclass(frozen=True)
class MessageSample:
    """One message that was measured.

    nominal_bits: r·q·X per row, as the paper counts: no ranges, positions, labels or header.
    packed_bits: length of the packed message.
    entropy_coded_bits: length of the message if a range coder wrote its positions and codes, where
        that is shorter; the histogram that its reader needs is counted.
    limit_bits: empirical entropy of the quantiser's codes (at q = 32: 32 bits each), plus
        log2 of the number of ways to choose the kept elements, plus labels and ranges.
    model_bits: bits of the histogram that the range coder needs sent along (none at q = 32).
    distortion: squared error of what the server reads over the squared norm of what the
        client wanted to send. Error feedback contracts only below 1.
    """

    nominal_bits: float
    packed_bits: int
    entropy_coded_bits: int
    limit_bits: float
    model_bits: int
    distortion: float


def message_sample(
    wanted: np.ndarray,
    read: np.ndarray,
    compression: Compression,
    labels: np.ndarray | None = None,
    classes: int | None = None,
) -> MessageSample:
    """Measure one message.

    Args:
        wanted: (X,) or (rows, X) what the client had to say.
        read: what the server reads, of the same shape.
        compression: q and r that made the message.
        labels: (rows,) labels that it carries, if any.
        classes: number of classes N, if it carries labels.

    Raises:
        ValueError: as `encode`.
    """
    values = finite_float32(np.atleast_2d(wanted))
    packed = len(encode(values, labels, classes, compression))
    rows, width = values.shape
    positions, kept = select(values, compression.keep)
    limit = rows * log2_choices(width, positions.shape[1])
    bits_of_labels = 0 if labels is None or classes is None else rows * label_bits(classes)
    limit += bits_of_labels
    coded = HEADER_BYTES + (bits_of_labels + 7) // 8
    model, codes, counts = 0, kept, np.zeros(0, dtype=np.int64)
    if compression.bits == FLOAT_BITS:
        limit += FLOAT_BITS * kept.size
        coded += FLOAT_BYTES * kept.size
    else:
        codes = Grid.of(kept, compression.bits, compression.fitted).codes(kept)
        counts = np.bincount(codes.reshape(-1), minlength=2**compression.bits)
        limit += entropy_bits(counts) + 8 * RANGE_BYTES * rows
        model = len(encode_histogram(counts))
        coded += RANGE_BYTES * rows + model
    coded += range_coded_bytes(positions, width, codes, counts)
    return MessageSample(
        nominal_bits=compression.keep * compression.bits * values.size,
        packed_bits=8 * packed,
        entropy_coded_bits=8 * min(packed, coded),
        limit_bits=limit,
        model_bits=8 * model,
        distortion=_distortion(wanted.reshape(-1), read.reshape(-1)),
    )


def spread_evenly(count: int, wanted: int) -> np.ndarray:
    """Return up to `wanted` of the rows 0 to count - 1, spread evenly."""
    return np.unique(np.linspace(0, count - 1, min(wanted, count)).round().astype(np.int64))


def mean(samples: Sequence[MessageSample]) -> dict[str, float]:
    """Return the mean of each measure; nothing if nothing was measured."""
    if not samples:
        return {}
    rows = [asdict(sample) for sample in samples]
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def _distortion(wanted: np.ndarray, read: np.ndarray) -> float:
    exact = wanted.astype(np.float64)
    energy = float(exact @ exact)
    error = exact - read
    return float(error @ error) / energy if energy > 0 else 0.0
