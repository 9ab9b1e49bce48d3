"""Many messages at once: what the server will read and how long each message is.

This is what a training job needs of thousands of uploads; it equals encoding and decoding row by
row, without making the bytes.
"""

from dataclasses import dataclass

import numpy as np

from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.codec.bitpack import packed_bytes
from fbftl.messages.codec.compression import Compression, finite_float32
from fbftl.messages.codec.encoder import label_bits
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.codec.positions import positions_bytes
from fbftl.messages.codec.quantiser import RANGE_BYTES, Grid
from fbftl.messages.codec.sparsifier import scatter, select


@dataclass(frozen=True, eq=False)
class Compressed:
    """What the server reads of each message, and the message's length.

    values: (n, X) float32, the decoded rows; with q = 32 and r = 1 the input itself.
    bits: (n,) int64, length of each row's packed message, header included.
    """

    values: np.ndarray
    bits: np.ndarray


def compress(
    values: np.ndarray, compression: Compression, classes: int | None = None
) -> Compressed:
    """Send each row of `values` (n, X) as a packed message of its own.

    Args:
        values: (n, X) float32: n samples' features, or n clients' gradients.
        compression: q and r.
        classes: N if each message also carries one label, else None.

    Raises:
        ValueError: if `values` is empty or holds NaN or infinity.
    """
    values = finite_float32(values)
    width = values.shape[1]
    positions, kept = select(values, compression.keep)
    fixed = HEADER_BYTES + packed_bytes(kept.shape[1], compression.bits)
    if classes is not None:
        fixed += packed_bytes(1, label_bits(classes))
    if compression.bits != FLOAT_BITS:
        fixed += RANGE_BYTES
        grid = Grid.of(kept, compression.bits, compression.fitted)
        kept = grid.values(grid.codes(kept))
    bits = 8 * (fixed + positions_bytes(positions[:, None], width))
    decoded = kept if kept.shape[1] == width else scatter(kept, positions, width)
    return Compressed(decoded, bits)
