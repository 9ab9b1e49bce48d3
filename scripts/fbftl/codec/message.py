"""One message as bytes: header, ranges, labels, values, positions (docs/codec.md)."""

import struct
from dataclasses import dataclass
from typing import Literal
from zlib import crc32

import numpy as np

from fbftl.codec.bitpack import pack, packed_bytes, unpack
from fbftl.codec.compression import FLOAT_BITS, PLAIN, Compression, finite_float32
from fbftl.codec.entropy import (
    RangeDecoder,
    RangeEncoder,
    decode_histogram,
    encode_histogram,
)
from fbftl.codec.positions import PositionCode, decode_positions, encode_positions
from fbftl.codec.quantise import Grid
from fbftl.codec.sparsify import scatter, select

Coding = Literal["packed", "entropy"]

_HEADER = struct.Struct("<2sBBBBIII")
_CHECKSUM = struct.Struct("<I")
_MAGIC = b"FZ"
_VERSION = 1
_RANGE_CODED_VALUES = 4
_LABELLED = 8
HEADER_BYTES = _HEADER.size + _CHECKSUM.size
RANGE_BYTES = 8


class CorruptMessage(ValueError):  # noqa: N818 - it names what was received
    """A received message is damaged, cut short or not one of ours."""


@dataclass(frozen=True, eq=False)
class Message:
    """What the server reads from a message.

    Attributes:
        values: (rows, X) float32; elements that were not kept are 0.
        labels: (rows,) int64, or None if the message carries none.
        compression_bits: q.
        kept: elements kept in each row.
    """

    values: np.ndarray
    labels: np.ndarray | None
    compression_bits: int
    kept: int


@dataclass(frozen=True)
class _Header:
    """The fixed part of a message, without its checksum."""

    bits: int
    positions: PositionCode
    range_coded_values: bool
    label_bits: int | None
    rows: int
    width: int
    kept: int

    def seal(self, body: bytes) -> bytes:
        """Return the whole message."""
        flags = self.positions
        flags |= _RANGE_CODED_VALUES * self.range_coded_values
        flags |= _LABELLED * (self.label_bits is not None)
        fields = (self.bits, flags, self.label_bits or 0, self.rows, self.width, self.kept)
        start = _HEADER.pack(_MAGIC, _VERSION, *fields)
        return start + _CHECKSUM.pack(crc32(body, crc32(start))) + body

    @classmethod
    def open(cls, message: bytes) -> "_Header":
        """Return the header of an intact message.

        Raises:
            ValueError: if the message is not intact.
        """
        if len(message) < HEADER_BYTES:
            raise ValueError(f"it has {len(message)} bytes, a header has {HEADER_BYTES}")
        magic, version, bits, flags, label_bits, *shape = _HEADER.unpack_from(message)
        if (magic, version) != (_MAGIC, _VERSION):
            raise ValueError("it does not start like a message of this format")
        (checksum,) = _CHECKSUM.unpack_from(message, _HEADER.size)
        view = memoryview(message)
        if crc32(view[HEADER_BYTES:], crc32(view[: _HEADER.size])) != checksum:
            raise ValueError("its checksum does not match its content")
        header = cls(
            bits,
            PositionCode(flags & 3),
            bool(flags & _RANGE_CODED_VALUES),
            label_bits if flags & _LABELLED else None,
            *shape,
        )
        header._check(flags, label_bits)
        return header

    def _check(self, flags: int, label_bits: int) -> None:
        Compression(self.bits)
        all_kept = self.positions is PositionCode.ALL
        if not (
            flags < 16
            and label_bits <= (32 if self.label_bits is not None else 0)
            and self.rows > 0
            and 0 < self.kept <= self.width
            and all_kept == (self.kept == self.width)
            and not (self.range_coded_values and self.bits == FLOAT_BITS)
        ):
            raise ValueError("its header contradicts itself")


def encode(
    values: np.ndarray,
    labels: np.ndarray | None = None,
    classes: int | None = None,
    compression: Compression = PLAIN,
    coding: Coding = "packed",
) -> bytes:
    """Return one message with all rows of `values`; each row has its own range and its own S_r.

    Args:
        values: (rows, X) float32, e.g. a client's K features, or (X,) for a single row.
        labels: (rows,) integers in [0, classes), or None.
        classes: N; labels take ⌈log2 N⌉ bits each.
        compression: q and r.
        coding: "packed" bits, or "entropy": range-coded where that makes the message shorter.

    Raises:
        ValueError: if values are empty, NaN or infinite, or labels are out of range.
    """
    values = np.atleast_2d(values)[None]
    labels = None if labels is None else np.reshape(labels, (1, -1))
    parts = _Parts.of(values, labels, classes, compression)
    packed = parts.packed()[0]
    return packed if coding == "packed" else min(packed, parts.range_coded(), key=len)


def encode_each(
    values: np.ndarray,
    labels: np.ndarray | None = None,
    classes: int | None = None,
    compression: Compression = PLAIN,
) -> list[bytes]:
    """Return one packed message per row of `values` (n, X): what `encode` gives row by row.

    Raises:
        ValueError: as `encode`.
    """
    labels = None if labels is None else np.reshape(labels, (-1, 1))
    return _Parts.of(values[:, None], labels, classes, compression).packed()


def decode(message: bytes, max_values: int = 2**28) -> Message:
    """Return what a message says.

    Args:
        message: the bytes received.
        max_values: refuse messages that claim more numbers than this, before memory is taken.

    Raises:
        CorruptMessage: if the message is damaged, cut short, too large or not one of ours.
    """
    try:
        header = _Header.open(message)
        if header.rows * header.width > max_values:
            raise ValueError(f"it claims more than {max_values} numbers")
        return _decode_body(header, np.frombuffer(message, np.uint8, offset=HEADER_BYTES))
    except ValueError as error:
        raise CorruptMessage(f"this message cannot be decoded: {error}") from error


def label_bits(classes: int) -> int:
    """Return ⌈log2 N⌉."""
    return (classes - 1).bit_length()


@dataclass(frozen=True)
class _Parts:
    """The content of equally shaped messages, axis 0 being the message."""

    width: int
    bits: int
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
    ) -> "_Parts":
        values = finite_float32(values)
        bits = None
        if labels is not None:
            _check_labels(labels, values.shape[:2], classes)
            bits = label_bits(classes)
        positions, kept = select(values, compression.keep)
        return cls(values.shape[2], compression.bits, positions, kept, labels, bits)

    def packed(self) -> list[bytes]:
        """Return every message in packed form."""
        count = len(self.kept)
        if self.bits == FLOAT_BITS:
            ranges = [b""] * count
            values = self.kept.astype("<f4").reshape(count, -1)
        else:
            grid = Grid.of(self.kept, self.bits)
            ranges = _ranges(grid)
            values = pack(grid.codes(self.kept).reshape(count, -1), self.bits)
        positions = encode_positions(self.positions, self.width)
        return [
            self._header(code, False).seal(b"".join((span, label, value.tobytes(), where)))
            for span, label, value, (code, where) in zip(
                ranges, self._packed_labels(), values, positions, strict=True
            )
        ]

    def range_coded(self) -> bytes:
        """Return the first message with its positions and, on a grid, its values range-coded."""
        coder = RangeEncoder()
        all_kept = self.kept.shape[2] == self.width
        if not all_kept:
            coder.positions(self.positions[0], self.width)
        on_grid = self.bits != FLOAT_BITS
        start = self._packed_labels()[0]
        if on_grid:
            grid = Grid.of(self.kept[:1], self.bits)
            codes = grid.codes(self.kept[:1])
            counts = np.bincount(codes.reshape(-1), minlength=2**self.bits)
            coder.codes(codes, counts)
            start = _ranges(grid)[0] + start + encode_histogram(counts)
        else:
            start += self.kept[0].astype("<f4").tobytes()
        code = PositionCode.ALL if all_kept else PositionCode.RANGE
        return self._header(code, on_grid).seal(start + coder.finish())

    def _packed_labels(self) -> list[bytes]:
        if self.labels is None:
            return [b""] * len(self.kept)
        return [row.tobytes() for row in pack(self.labels, self.label_bits)]

    def _header(self, positions: PositionCode, range_coded_values: bool) -> _Header:
        _, rows, kept = self.kept.shape
        return _Header(
            self.bits, positions, range_coded_values, self.label_bits, rows, self.width, kept
        )


def _ranges(grid: Grid) -> list[bytes]:
    """Return low and high of every row of each message as little-endian floats."""
    ranges = np.concatenate([grid.low, grid.high], axis=2).astype("<f4")
    return [row.tobytes() for row in ranges]


def _check_labels(labels: np.ndarray, shape: tuple[int, ...], classes: int | None) -> None:
    if classes is None or not 1 <= classes <= 2**32:
        raise ValueError(f"labels need the number of classes, 1 to 2^32, not {classes}")
    if labels.shape != shape or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError("labels must be one integer per row")
    if labels.min() < 0 or labels.max() >= classes:
        raise ValueError(f"labels must lie in 0 to {classes - 1}")


class _Reader:
    """Takes known numbers of bytes from the front of a message's body."""

    def __init__(self, body: np.ndarray) -> None:
        self.rest = body

    def take(self, count: int) -> np.ndarray:
        """Return the next `count` bytes."""
        if count > len(self.rest):
            raise ValueError("it ends too early")
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken


def _decode_body(header: _Header, body: np.ndarray) -> Message:
    rows, kept, bits = header.rows, header.kept, header.bits
    reader = _Reader(body)
    on_grid = bits != FLOAT_BITS
    if on_grid:
        grid = _read_grid(reader.take(RANGE_BYTES * rows), bits)
    labels = None
    if header.label_bits is not None:
        packed = reader.take(packed_bytes(rows, header.label_bits))
        labels = unpack(packed, rows, header.label_bits)
    if header.range_coded_values:
        counts, length = decode_histogram(reader.rest, 2**bits, rows * kept)
        reader.take(length)
    else:
        packed = reader.take(packed_bytes(rows * kept, bits))
        raw = unpack(packed, rows * kept, bits) if on_grid else packed.view("<f4")

    if header.positions is PositionCode.RANGE or header.range_coded_values:
        decoder = RangeDecoder.of(reader.take(len(reader.rest)))
    if header.positions is PositionCode.RANGE:
        positions = decoder.positions(rows, kept, header.width)
    else:
        positions, length = decode_positions(
            header.positions, reader.rest, rows, kept, header.width
        )
        reader.take(length)
    if header.range_coded_values:
        raw = decoder.codes(counts)
        decoder.close()
    if len(reader.rest):
        raise ValueError("there are bytes after its end")

    raw = raw.reshape(rows, kept)
    values = grid.values(raw) if on_grid else raw.astype(np.float32)
    if not np.isfinite(values).all():
        raise ValueError("it holds NaN or infinite values")
    return Message(scatter(values, positions, header.width), labels, bits, kept)


def _read_grid(packed: np.ndarray, bits: int) -> Grid:
    low, high = packed.view("<f4").astype(np.float32).reshape(-1, 2, 1).transpose(1, 0, 2)
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low <= high).all()):
        raise ValueError("the range of a row is not an interval")
    return Grid(low, high, bits)
