"""Plain messages that travel joined as one, taken apart again by what their headers say."""

from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.codec.bitpack import packed_bytes
from fbftl.messages.codec.decoder import CorruptMessage, Message, decode
from fbftl.messages.codec.header import FIELDS, HEADER_BYTES, Layout
from fbftl.messages.codec.quantiser import RANGE_BYTES


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
