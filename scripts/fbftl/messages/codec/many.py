"""Messages of one header read together: what `decode` gives to each, for thousands a second.

Clients of one study send messages of one shape, which differ in their ranges, labels and codes
alone. Those whose elements are all kept lie alike, byte for byte; others are read one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fbftl.ground.errors import required
from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.codec.bitpack import packed_bytes, unpack_each
from fbftl.messages.codec.decoder import CorruptMessage, Message, decode
from fbftl.messages.codec.header import HEADER_BYTES, Header, Layout, checksum
from fbftl.messages.codec.quantiser import RANGE_BYTES, Grid

CHECKED_FIELDS = HEADER_BYTES - 4
"""Bytes of a header in front of its checksum."""


@dataclass(frozen=True, eq=False)
class Messages:
    """What the server reads from messages of one header.

    values: (messages, rows, X) float32; elements that were not kept are 0.
    labels: (messages, rows) integers, or None if the messages carry none.
    """

    values: np.ndarray
    labels: np.ndarray | None


def decode_many(messages: Sequence[bytes], max_values: int = 2**28) -> Messages:
    """Return what messages of one header say.

    Args:
        messages: the bytes received, at least one message.
        max_values: refuse messages that claim more numbers than this each.

    Raises:
        CorruptMessage: if one is damaged, cut short, too large, not one of ours, or has another
            header than the first.
    """
    first = decode(messages[0], max_values)
    header = Header.open(messages[0])
    if header.layout is not Layout.DENSE or len(set(map(len, messages))) > 1:
        return _one_by_one(messages, first, max_values)
    octets = np.frombuffer(b"".join(messages), np.uint8).reshape(len(messages), -1)
    _require_intact(messages, octets)
    return _dense(octets[:, HEADER_BYTES:], header)


def _require_intact(messages: Sequence[bytes], octets: np.ndarray) -> None:
    """Refuse a message whose header is not the first one's, or whose checksum is wrong."""
    other = (octets[:, :CHECKED_FIELDS] != octets[0, :CHECKED_FIELDS]).any(axis=1)
    stated = octets[:, CHECKED_FIELDS:HEADER_BYTES].copy().view("<u4")[:, 0]
    computed = np.fromiter(map(checksum, messages), np.uint32, len(messages))
    for number in np.flatnonzero(other | (stated != computed)).tolist():
        decode(messages[number])
        raise CorruptMessage(f"message {number} has another header than the first")


def _dense(bodies: np.ndarray, header: Header) -> Messages:
    """Return what the bodies (messages, bytes) of intact messages say, all elements kept."""
    shape, on_grid = (len(bodies), header.rows, header.width), header.bits != FLOAT_BITS
    start, labels = RANGE_BYTES * header.rows if on_grid else 0, None
    ranges = bodies[:, :start].copy().view("<f4").astype(np.float32)
    if header.label_bits is not None:
        end = start + packed_bytes(header.rows, header.label_bits)
        labels = unpack_each(bodies[:, start:end], header.rows, header.label_bits)
        start = end
    if not on_grid:
        values = np.ascontiguousarray(bodies[:, start:]).view("<f4").astype(np.float32)
    else:
        low, high = np.moveaxis(ranges.reshape(len(bodies), header.rows, 2, 1), 2, 0)
        if not (np.isfinite(ranges).all() and (low <= high).all()):
            raise CorruptMessage("the range of a row is no interval")
        codes = unpack_each(bodies[:, start:], header.rows * header.width, header.bits)
        values = Grid(low, high, header.bits).values(codes.reshape(shape))
    if not np.isfinite(values).all():
        raise CorruptMessage("a message holds NaN or infinite values")
    return Messages(values.reshape(shape), labels)


def _one_by_one(messages: Sequence[bytes], first: Message, max_values: int) -> Messages:
    decoded = [first, *(decode(message, max_values) for message in messages[1:])]
    if len({_shape(message) for message in decoded}) > 1:
        raise CorruptMessage("the messages have several headers")
    values = np.stack([message.values for message in decoded])
    if first.labels is None:
        return Messages(values, None)
    return Messages(values, np.stack([required(message.labels) for message in decoded]))


def _shape(message: Message) -> tuple[object, ...]:
    """Return what messages of one header have in common; layouts of kept elements may differ."""
    return message.bits, message.kept, message.values.shape, message.labels is None
