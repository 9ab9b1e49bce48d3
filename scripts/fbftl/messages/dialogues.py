"""What a client sends for one dialogue: its features by the codec, its summary as token ids.

Layout, little endian: the number of ids (4 bytes), the bits of each (1), a CRC-32 of the packed ids
and those five bytes (4), the packed ids, then a message of the codec with a row per token.
"""

import struct
from zlib import crc32

import numpy as np

from fbftl.messages.codec import CorruptMessage, decode, encode
from fbftl.messages.codec.bitpack import pack, packed_bytes, unpack

_COUNTS = struct.Struct("<IB")
_CHECKSUM = struct.Struct("<I")
_START = _COUNTS.size + _CHECKSUM.size


def id_bits(vocabulary: int) -> int:
    """Return the bits of one token id: ⌈log2 vocabulary⌉."""
    return (vocabulary - 1).bit_length()


def encode_upload(features: np.ndarray, labels: np.ndarray, vocabulary: int) -> bytes:
    """Return the message of one dialogue.

    Args:
        features: hidden states at the cut [L, d_model] float32, sent as they are.
        labels: token ids of the summary [T].
        vocabulary: number of token ids.
    """
    bits = id_bits(vocabulary)
    counts = _COUNTS.pack(len(labels), bits)
    ids = pack(labels[None], bits)[0].tobytes()
    return counts + _CHECKSUM.pack(crc32(ids, crc32(counts))) + ids + encode(features)


def decode_upload(message: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return features [L, d_model] and token ids [T] of a message.

    Raises:
        CorruptMessage: if it is cut short or changed.
    """
    if len(message) < _START:
        raise CorruptMessage(f"an upload has {_START} bytes at least, this one {len(message)}")
    count, bits = _COUNTS.unpack_from(message)
    stop = _START + packed_bytes(count, bits)
    ids = message[_START:stop]
    (checksum,) = _CHECKSUM.unpack_from(message, _COUNTS.size)
    if crc32(ids, crc32(message[: _COUNTS.size])) != checksum:
        raise CorruptMessage("the checksum of the summary's token ids does not match them")
    labels = unpack(np.frombuffer(ids, np.uint8), count, bits)
    return decode(message[stop:]).values, labels


def token_id_bits(lengths: np.ndarray, vocabulary: int) -> np.ndarray:
    """Return the bits of sending each dialogue's token ids themselves (n,), from lengths (n,).

    With all encoder blocks trained, features are a look-up of these ids and no more private (A18).
    """
    return np.asarray(lengths) * id_bits(vocabulary)
