"""From arrays to messages: header, ranges, labels, values, positions (docs/formats.md)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.codec.bitpack import encode_positions, pack, packed_bytes, positions_bytes
from fbftl.messages.codec.compression import (
    PLAIN,
    RANGE_BYTES,
    Compression,
    Grid,
    finite_float32,
    scatter,
    select,
)
from fbftl.messages.codec.header import HEADER_BYTES, Header, Layout


def encode(
    values: np.ndarray,
    labels: np.ndarray | None = None,
    classes: int | None = None,
    compression: Compression = PLAIN,
) -> bytes:
    """Return one message with all rows of `values`; each row has its own range and its own S_r.

    Args:
        values: (rows, X) float32, e.g. a client's K features, or (X,) for a single row.
        labels: (rows,) integers in [0, classes), or None.
        classes: N; labels take ⌈log2 N⌉ bits each.
        compression: q and r.

    Raises:
        ValueError: if values are empty, NaN or infinite, or labels are out of range.
    """
    values = np.atleast_2d(values)[None]
    labels = None if labels is None else np.reshape(labels, (1, -1))
    return _Contents.of(values, labels, classes, compression).packed()[0]


def encode_and_read(
    values: np.ndarray, labels: np.ndarray | None, classes: int, compression: Compression
) -> tuple[bytes, np.ndarray]:
    """Return the packed message of rows (rows, X), and what a server reads from it, likewise."""
    labels = None if labels is None else np.reshape(labels, (1, -1))
    contents = _Contents.of(values[None], labels, classes, compression)
    return contents.packed()[0], contents.decoded()[0]


def encode_each(
    values: np.ndarray,
    labels: np.ndarray | None = None,
    classes: int | None = None,
    compression: Compression = PLAIN,
) -> tuple[list[bytes], np.ndarray]:
    """Make one packed message per row of `values` (n, X): what `encode` gives row by row.

    Returns:
        The messages, and the values (n, X) float32 that the server reads from them.

    Raises:
        ValueError: as `encode`.
    """
    labels = None if labels is None else np.reshape(labels, (-1, 1))
    contents = _Contents.of(values[:, None], labels, classes, compression)
    return contents.packed(), contents.decoded()[:, 0]


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
    """Send each row of `values` (n, X) as by `encode_each`, without making the bytes.

    Args:
        values: (n, X) float32: n samples' features, or n clients' gradients.
        compression: q and r.
        classes: N if each message also carries one label, else None.

    Raises:
        ValueError: if `values` is empty or holds NaN or infinity.
    """
    contents = _Contents.of(values[:, None], None, None, compression)
    fixed = HEADER_BYTES + packed_bytes(contents.kept.shape[2], compression.bits)
    if classes is not None:
        fixed += packed_bytes(1, label_bits(classes))
    if compression.bits != FLOAT_BITS:
        fixed += RANGE_BYTES
    bits = 8 * (fixed + positions_bytes(contents.positions, contents.width))
    return Compressed(contents.decoded()[:, 0], bits)


def label_bits(classes: int) -> int:
    """Return ⌈log2 N⌉."""
    return (classes - 1).bit_length()


@dataclass(frozen=True, eq=False)
class _Contents:
    """What goes into equally shaped messages; axis 0 of every array is the message."""

    width: int
    compression: Compression
    positions: np.ndarray
    kept: np.ndarray
    labels: np.ndarray | None
    label_bits: int | None

    @classmethod
    def of(
        cls,
        values: np.ndarray,
        labels: np.ndarray | None,
        classes: int | None,
        compression: Compression,
    ) -> "_Contents":
        values = finite_float32(values)
        bits = None
        if labels is not None:
            bits = label_bits(_checked_classes(labels, values.shape[:2], classes))
        positions, kept = select(values, compression.keep)
        return cls(values.shape[2], compression, positions, kept, labels, bits)

    @property
    def bits(self) -> int:
        """Bits q of an element."""
        return self.compression.bits

    def packed(self) -> list[bytes]:
        """Return every message in packed form."""
        if self.bits == FLOAT_BITS:
            ranges = [b""] * len(self.kept)
            values = [message.tobytes() for message in self.kept.astype("<f4")]
        else:
            grid, codes = self._on_grid
            ranges = _ranges(grid)
            values = [row.tobytes() for row in pack(codes.reshape(len(codes), -1), self.bits)]
        positions = encode_positions(self.positions, self.width)
        return [
            self._header(layout).seal(b"".join((span, label, value, where)))
            for span, label, value, (layout, where) in zip(
                ranges, self._labels(), values, positions, strict=True
            )
        ]

    def decoded(self) -> np.ndarray:
        """Return what the server reads, (messages, rows, width) float32."""
        kept = self.kept
        if self.bits != FLOAT_BITS:
            grid, codes = self._on_grid
            kept = grid.values(codes)
        all_kept = kept.shape[2] == self.width
        return kept if all_kept else scatter(kept, self.positions, self.width)

    @cached_property
    def _on_grid(self) -> tuple[Grid, np.ndarray]:
        """The grid of every row, and the kept elements' codes (messages, rows, kept)."""
        grid = Grid.of(self.kept, self.bits, self.compression.fitted)
        return grid, grid.codes(self.kept)

    def _labels(self) -> list[bytes]:
        if self.labels is None or self.label_bits is None:
            return [b""] * len(self.kept)
        return [row.tobytes() for row in pack(self.labels, self.label_bits)]

    def _header(self, layout: Layout) -> Header:
        _, rows, kept = self.kept.shape
        return Header(self.bits, layout, self.label_bits, rows, self.width, kept)


def _ranges(grid: Grid) -> list[bytes]:
    """Return low and high of every row of each message as little-endian floats."""
    ranges = np.concatenate([grid.low, grid.high], axis=2).astype("<f4")
    return [message.tobytes() for message in ranges]


def _checked_classes(labels: np.ndarray, shape: tuple[int, ...], classes: int | None) -> int:
    """Return the number of classes that labels of a shape are of, or raise ValueError."""
    if classes is None or not 1 <= classes <= 2**32:
        raise ValueError(f"labels need the number of classes, 1 to 2^32, not {classes}")
    if labels.shape != shape or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError("labels must be one integer per row")
    if labels.min() < 0 or labels.max() >= classes:
        raise ValueError(f"labels must lie in 0 to {classes - 1}")
    return classes
