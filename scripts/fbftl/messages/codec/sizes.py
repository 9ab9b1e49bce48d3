"""How many bits a message takes: as the paper counts, packed, entropy-coded, and at the limit."""

from dataclasses import dataclass

import numpy as np

from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.codec.compression import PLAIN, Compression, finite_float32
from fbftl.messages.codec.encoder import encode, label_bits
from fbftl.messages.codec.entropy import encode_histogram, entropy_bits, log2_choices
from fbftl.messages.codec.quantiser import RANGE_BYTES, Grid
from fbftl.messages.codec.sparsifier import select


@dataclass(frozen=True)
class MessageSize:
    """Bits of one message.

    nominal_bits: r·q·X per row, as the paper counts: no ranges, positions, labels or header.
    packed_bits: length of the packed message.
    entropy_coded_bits: length of the message with coding "entropy".
    limit_bits: empirical entropy of the quantiser's codes (at q = 32: 32 bits each), plus
        log2 of the number of ways to choose the kept elements, plus labels and ranges.
    model_bits: bits of the histogram that the range coder needs sent along (none at q = 32).
    """

    nominal_bits: float
    packed_bits: int
    entropy_coded_bits: int
    limit_bits: float
    model_bits: int


def message_size(
    values: np.ndarray,
    labels: np.ndarray | None = None,
    classes: int | None = None,
    compression: Compression = PLAIN,
) -> MessageSize:
    """Return the size of the message that `encode` makes of the same arguments.

    Raises:
        ValueError: as `encode`.
    """
    values = finite_float32(np.atleast_2d(values))
    message = (values, labels, classes, compression)
    rows, width = values.shape
    positions, kept = select(values, compression.keep)
    count = positions.shape[1]
    limit = rows * log2_choices(width, count)
    limit += 0 if labels is None or classes is None else rows * label_bits(classes)
    model = 0
    if compression.bits == FLOAT_BITS:
        limit += FLOAT_BITS * kept.size
    else:
        codes = Grid.of(kept, compression.bits, compression.fitted).codes(kept)
        counts = np.bincount(codes.reshape(-1), minlength=2**compression.bits)
        limit += entropy_bits(counts) + 8 * RANGE_BYTES * rows
        model = 8 * len(encode_histogram(counts))
    return MessageSize(
        nominal_bits=compression.keep * compression.bits * values.size,
        packed_bits=8 * len(encode(*message)),
        entropy_coded_bits=8 * len(encode(*message, coding="entropy")),
        limit_bits=limit,
        model_bits=model,
    )
