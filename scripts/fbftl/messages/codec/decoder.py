"""From a message to arrays. Whatever the bytes are, the answer is a `Message` or one error."""

from dataclasses import dataclass

import numpy as np

from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.codec.bitpack import decode_positions, packed_bytes, unpack
from fbftl.messages.codec.compression import RANGE_BYTES, Grid, scatter
from fbftl.messages.codec.header import FIELDS, HEADER_BYTES, Header, Layout


class CorruptMessage(ValueError):  # noqa: N818 - named for what was received
    """A received message is damaged, cut short, too large or not one of ours."""


@dataclass(frozen=True, eq=False)
class Message:
    """What the server reads from a message.

    values: (rows, X) float32; elements that were not kept are 0.
    labels: (rows,) int64, or None if the message carries none.
    """

    values: np.ndarray
    labels: np.ndarray | None


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
    rows, kept, on_grid = header.rows, header.kept, header.bits != FLOAT_BITS
    if on_grid:
        grid = _read_grid(reader, header)
    labels = _read_labels(reader, header)
    packed = reader.take(packed_bytes(rows * kept, header.bits))
    positions, length = decode_positions(header.layout, reader.rest, rows, kept, header.width)
    reader.take(length)
    if len(reader.rest):
        raise ValueError("there are bytes after its end")

    if on_grid:
        values = grid.values(unpack(packed, rows * kept, header.bits).reshape(rows, kept))
    else:
        values = packed.view("<f4").astype(np.float32).reshape(rows, kept)
    if not np.isfinite(values).all():
        raise ValueError("it holds NaN or infinite values")
    return Message(scatter(values, positions, header.width), labels)


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
