"""The fixed start of every message: what follows, in which shape, and a checksum over it all."""

import struct
from dataclasses import dataclass
from enum import IntEnum
from zlib import crc32

from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.codec.compression import Compression

FIELDS = struct.Struct("<2sBBBBIII")
"""Magic, version, q, layout, label bits; rows, width, kept per row; then the checksum."""

_CHECKSUM = struct.Struct("<I")
_MAGIC = b"FZ"
_VERSION = 1
_NO_LABELS = 255
HEADER_BYTES = FIELDS.size + _CHECKSUM.size


def checksum(message: bytes) -> int:
    """Return the CRC-32 of a message, the place of the checksum itself left out."""
    view = memoryview(message)
    return crc32(view[HEADER_BYTES:], crc32(view[: FIELDS.size]))


class Layout(IntEnum):
    """How a message carries positions and values.

    DENSE: packed values of all elements; no positions.
    BITMAP: packed values of the kept elements; one bit per element says which.
    GAPS: packed values of the kept elements; Golomb-Rice coded gaps between them.
    """

    DENSE = 0
    BITMAP = 1
    GAPS = 2


@dataclass(frozen=True)
class Header:
    """The fields of a header.

    bits: q.
    layout: how positions and values follow.
    label_bits: bits of each label, or None if there are no labels.
    rows: vectors in the message.
    width: X, elements of each vector.
    kept: elements kept of each vector.
    """

    bits: int
    layout: Layout
    label_bits: int | None
    rows: int
    width: int
    kept: int

    def seal(self, body: bytes) -> bytes:
        """Return the whole message: this header with the checksum, then `body`."""
        label_bits = _NO_LABELS if self.label_bits is None else self.label_bits
        start = FIELDS.pack(
            *(_MAGIC, _VERSION, self.bits, self.layout, label_bits),
            *(self.rows, self.width, self.kept),
        )
        return start + _CHECKSUM.pack(crc32(body, crc32(start))) + body

    @classmethod
    def open(cls, message: bytes) -> "Header":
        """Return the header of an intact message.

        Raises:
            ValueError: if the message is not intact.
        """
        if len(message) < HEADER_BYTES:
            raise ValueError(f"it has {len(message)} bytes, a header has {HEADER_BYTES}")
        magic, version, bits, layout, label_bits, *shape = FIELDS.unpack_from(message)
        if (magic, version) != (_MAGIC, _VERSION):
            raise ValueError("it does not start like a message of this format")
        (stated,) = _CHECKSUM.unpack_from(message, FIELDS.size)
        if checksum(message) != stated:
            raise ValueError("its checksum does not match its content")
        header = cls(
            Compression(bits).bits,
            Layout(layout),
            None if label_bits == _NO_LABELS else label_bits,
            *shape,
        )
        if not header._is_consistent():
            raise ValueError("its header contradicts itself")
        return header

    def _is_consistent(self) -> bool:
        return (
            self.rows > 0
            and 0 < self.kept <= self.width
            and (self.label_bits or 0) <= FLOAT_BITS
            and (self.layout is Layout.DENSE) == (self.kept == self.width)
        )
