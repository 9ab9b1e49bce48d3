"""From a message to arrays. Whatever the bytes are, the answer is a `Message` or one error."""

from dataclasses import dataclass

import numpy as np

from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.codec.bitpack import (
    RangeDecoder,
    decode_histogram,
    decode_positions,
    packed_bytes,
    unpack,
)
from fbftl.messages.codec.compression import RANGE_BYTES, Grid, scatter
from fbftl.messages.codec.header import FIELDS, HEADER_BYTES, Header, Layout


class CorruptMessage(ValueError):  # noqa: N818 - named for what was received
    """A received message is damaged, cut short, too large or not one of ours."""


@dataclass(frozen=True, eq=False)
class Message:
    """What the server reads from a message.

    values: (rows, X) float32; elements that were not kept are 0.
    labels: (rows,) int64, or None if the message carries none.
    bits: q.
    kept: elements kept of each row.
    """

    values: np.ndarray
    labels: np.ndarray | None
    bits: int
    kept: int


def decode(message: bytes, max_values: int = 2**28) -> Message:
    """Return what a message says.

    Args:
        message: the bytes received.
        max_values: refuse messages that claim more numbers than this, before memory is taken.

    Raises:
        CorruptMessage: if the message is damaged, cut short, too large or not one of ours.
    """
    try:
        header = Header.open(message)
        if header.rows * header.width > max_values:
            raise ValueError(f"it claims more than {max_values} numbers")
        body = np.frombuffer(message, np.uint8)[HEADER_BYTES:]
        if len(body) < 4 * header.rows:
            raise ValueError("it ends too early: every row takes a range or a float at least")
        return _decode_body(header, _Reader(body))
    except ValueError as error:
        raise CorruptMessage(f"this message cannot be decoded: {error}") from error


class _Reader:
    """Takes bytes from the front of a message's body."""

    def __init__(self, body: np.ndarray) -> None:
        self.rest = body

    def take(self, count: int) -> np.ndarray:
        """Return the next `count` bytes."""
        if count > len(self.rest):
            raise ValueError("it ends too early")
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken


def _decode_body(header: Header, reader: _Reader) -> Message:
    on_grid = header.bits != FLOAT_BITS
    if on_grid:
        grid = _read_grid(reader, header)
    labels = _read_labels(reader, header)
    range_coded = header.layout is Layout.RANGE_CODED
    read = _read_range_coded if range_coded else _read_packed
    codes, positions = read(reader, header)
    if len(reader.rest):
        raise ValueError("there are bytes after its end")

    codes = codes.reshape(header.rows, header.kept)
    values = grid.values(codes) if on_grid else codes
    if not np.isfinite(values).all():
        raise ValueError("it holds NaN or infinite values")
    return Message(scatter(values, positions, header.width), labels, header.bits, header.kept)


def _read_grid(reader: _Reader, header: Header) -> Grid:
    ends = reader.take(RANGE_BYTES * header.rows).view("<f4").astype(np.float32)
    low, high = ends.reshape(-1, 2, 1).transpose(1, 0, 2)
    if not (np.isfinite(ends).all() and (low <= high).all()):
        raise ValueError("the range of a row is no interval")
    return Grid(low, high, header.bits)


def _read_labels(reader: _Reader, header: Header) -> np.ndarray | None:
    if header.label_bits is None:
        return None
    packed = reader.take(packed_bytes(header.rows, header.label_bits))
    return unpack(packed, header.rows, header.label_bits)


def _read_packed(reader: _Reader, header: Header) -> tuple[np.ndarray, np.ndarray]:
    """Return codes (at q = 32: values) and positions of a packed message."""
    count = header.rows * header.kept
    packed = reader.take(packed_bytes(count, header.bits))
    codes = _raw_values(packed) if header.bits == FLOAT_BITS else unpack(packed, count, header.bits)
    positions, length = decode_positions(
        header.layout, reader.rest, header.rows, header.kept, header.width
    )
    reader.take(length)
    return codes, positions


def _read_range_coded(reader: _Reader, header: Header) -> tuple[np.ndarray, np.ndarray]:
    """Return codes (at q = 32: values) and positions of a range-coded message."""
    rows, kept, width = header.rows, header.kept, header.width
    if header.bits == FLOAT_BITS:
        values = _raw_values(reader.take(packed_bytes(rows * kept, FLOAT_BITS)))
    else:
        counts, length = decode_histogram(reader.rest, 2**header.bits, rows * kept)
        reader.take(length)
    coder = RangeDecoder.of(reader.take(len(reader.rest)))
    if kept < width:
        positions = coder.positions(rows, kept, width)
    else:
        positions = np.broadcast_to(np.arange(width), (rows, width))
    codes = values if header.bits == FLOAT_BITS else coder.codes(counts)
    coder.close()
    return codes, positions


def _raw_values(packed: np.ndarray) -> np.ndarray:
    return packed.view("<f4").astype(np.float32)


def decode_joined(message: bytes) -> list[Message]:
    """Return what each of some messages says that follow each other without gaps.

    Only messages of which every element is sent have a length that follows from their header.

    Raises:
        CorruptMessage: if one of them is damaged, cut short or no such message.
    """
    decoded, first = [], 0
    while first < len(message):
        length = _length(message[first : first + HEADER_BYTES])
        decoded.append(decode(message[first : first + length]))
        first += length
    return decoded


def _length(start: bytes) -> int:
    """Return the bytes of a message that starts so."""
    if len(start) < HEADER_BYTES:
        raise CorruptMessage(f"{len(start)} bytes follow a message, and a header has more")
    _, _, bits, layout, label_bits, rows, _, kept = FIELDS.unpack_from(start)
    if layout != Layout.DENSE:
        raise CorruptMessage("a message that is joined to others does not send every element")
    ranges = 0 if bits == FLOAT_BITS else RANGE_BYTES * rows
    labels = 0 if label_bits > FLOAT_BITS else packed_bytes(rows, label_bits)
    return HEADER_BYTES + ranges + labels + packed_bytes(rows * kept, bits)
