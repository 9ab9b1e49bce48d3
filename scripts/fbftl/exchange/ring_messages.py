"""Messages of whole numbers: masked numbers, keys and ids, sealed like those of the codec.

A header of the codec's length, then the numbers packed without gaps. A study counts these messages
by their length; who deploys secure sums sends them.
"""

import struct
from zlib import crc32

import numpy as np

from fbftl.exchange.secure_sum import travelling
from fbftl.ground.ring import WORD_BITS, Ring
from fbftl.messages.codec.bitpack import packed_bytes, unpack
from fbftl.messages.codec.decoder import CorruptMessage
from fbftl.messages.codec.header import HEADER_BYTES

FIELDS = struct.Struct("<2sBBHIII")
"""Magic, version, bits of a number, nothing; number of the sum, how many numbers, nothing."""

CHECKSUM = struct.Struct("<I")
MAGIC, VERSION = b"FR", 1

BYTES = Ring(8)
"""The ring of keys: 32 of its numbers are one."""

IDS = Ring(32)
"""The ring of clients' ids."""


def seal(numbers: np.ndarray, ring: Ring, sum_number: int) -> bytes:
    """Return numbers of a ring (count,) uint64 as one message of the sum `sum_number`."""
    body = bytes(travelling(np.ascontiguousarray(numbers, dtype="<u8"), ring))
    start = FIELDS.pack(MAGIC, VERSION, ring.bits, 0, sum_number, len(numbers), 0)
    return start + CHECKSUM.pack(crc32(body, crc32(start))) + body


def unseal(message: bytes, ring: Ring, sum_number: int, count: int | None = None) -> np.ndarray:
    """Return the numbers (count,) uint64 of a message.

    Args:
        message: as it came.
        ring: that they should be in.
        sum_number: the sum that they should be of.
        count: how many there should be; None for any number of them.

    Raises:
        CorruptMessage: if it is damaged, or is of another ring, sum or length.
    """
    if len(message) < HEADER_BYTES:
        raise CorruptMessage(f"it has {len(message)} bytes, a header has {HEADER_BYTES}")
    magic, version, bits, _, of_sum, length, _ = FIELDS.unpack_from(message)
    if (magic, version) != (MAGIC, VERSION):
        raise CorruptMessage("it does not start like a message of a secure sum")
    start, body = message[: FIELDS.size], message[HEADER_BYTES:]
    if CHECKSUM.unpack_from(message, FIELDS.size)[0] != crc32(body, crc32(start)):
        raise CorruptMessage("its checksum does not match its content")
    if (bits, of_sum) != (ring.bits, sum_number) or (count is not None and length != count):
        raise CorruptMessage(
            f"it holds {length} numbers of {bits} bits of sum {of_sum}, and sum {sum_number} takes "
            f"{'any' if count is None else count} of {ring.bits}"
        )
    if len(body) != packed_bytes(length, bits):
        raise CorruptMessage("it is not as long as its numbers")
    if bits == WORD_BITS:
        return np.frombuffer(body, dtype="<u8").astype(np.uint64)
    return unpack(np.frombuffer(body, np.uint8), length, bits).astype(np.uint64)
