"""A sample of a run's real messages, measured: bits packed, entropy-coded, limit; distortion.

The ledger knows the length of every message that was sent. What an entropy coder would make of
them, and how far what the server reads is from what the client wanted to say, is measured where
the content is at hand, in the training job, on a sample that costs next to nothing.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.codec import Compression, encode
from fbftl.messages.codec.compression import RANGE_BYTES, Grid, finite_float32, select
from fbftl.messages.codec.encoder import label_bits
from fbftl.messages.codec.entropy import encode_histogram, entropy_bits, log2_choices

SAMPLED_UPLOADS = 64
"""Uploads of FbFTL that are measured, spread evenly over all."""


@dataclass(frozen=True)
class MessageSample:
    """One message that was measured.

    nominal_bits: r·q·X per row, as the paper counts: no ranges, positions, labels or header.
    packed_bits: length of the packed message.
    entropy_coded_bits: length of the message with coding "entropy".
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
    message = (values, labels, classes, compression)
    rows, width = values.shape
    positions, kept = select(values, compression.keep)
    limit = rows * log2_choices(width, positions.shape[1])
    limit += 0 if labels is None or classes is None else rows * label_bits(classes)
    model = 0
    if compression.bits == FLOAT_BITS:
        limit += FLOAT_BITS * kept.size
    else:
        codes = Grid.of(kept, compression.bits, compression.fitted).codes(kept)
        counts = np.bincount(codes.reshape(-1), minlength=2**compression.bits)
        limit += entropy_bits(counts) + 8 * RANGE_BYTES * rows
        model = 8 * len(encode_histogram(counts))
    return MessageSample(
        nominal_bits=compression.keep * compression.bits * values.size,
        packed_bits=8 * len(encode(*message)),
        entropy_coded_bits=8 * len(encode(*message, coding="entropy")),
        limit_bits=limit,
        model_bits=model,
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
