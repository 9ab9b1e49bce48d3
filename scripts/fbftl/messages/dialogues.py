"""What a client sends for one dialogue: its features by the codec, its summary as token ids.

Layout, little endian: the number of ids (4 bytes), the bits of each (1), a CRC-32 of the packed ids
and those five bytes (4), the packed ids, then a message of the codec with a row per token. Under
compression each token's row has a range and kept elements of its own, as the codec's rows have.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from zlib import crc32

import numpy as np

from fbftl.ground.room import RAM, Room
from fbftl.messages.channel import plain_upload_bits
from fbftl.messages.codec import Compression, CorruptMessage, decode, encode
from fbftl.messages.codec.bitpack import pack, packed_bytes, unpack
from fbftl.messages.codec.compression import PLAIN
from fbftl.messages.encoded import MessageSample, digested_messages, mean, message_sample
from fbftl.messages.payload import Change, Uploaded
from fbftl.privacy.noise import relative_range_of_unequal

SAMPLED_DIALOGUES = 16
"""Uploads that are measured, spread evenly over all; each holds as much as many vectors."""

_COUNTS = struct.Struct("<IB")
_CHECKSUM = struct.Struct("<I")
_START = _COUNTS.size + _CHECKSUM.size


def id_bits(vocabulary: int) -> int:
    """Return the bits of one token id: ⌈log2 vocabulary⌉."""
    return (vocabulary - 1).bit_length()


def encode_upload(
    features: np.ndarray, labels: np.ndarray, vocabulary: int, compression: Compression = PLAIN
) -> bytes:
    """Return the message of one dialogue.

    Args:
        features: hidden states at the cut [L, d_model] float32.
        labels: token ids of the summary [T].
        vocabulary: number of token ids.
        compression: q and r of the features; ids are sent as they are.
    """
    bits = id_bits(vocabulary)
    counts = _COUNTS.pack(len(labels), bits)
    ids = pack(labels[None], bits)[0].tobytes()
    checked = counts + _CHECKSUM.pack(crc32(ids, crc32(counts))) + ids
    return checked + encode(features, compression=compression)


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


@dataclass(frozen=True, eq=False)
class Dialogues:
    """Hidden states of every token of a dialogue, with the token ids of its summary: a `Payload`.

    values: (total, d_model) float32; row i is ``values[offsets[i]:offsets[i + 1]]``.
    offsets: (n + 1,) int64.
    labels: (total,) token ids of all summaries.
    label_offsets: (n + 1,) int64, where each summary begins and ends in `labels`.
    sample: (n,) number of each dialogue in the data set.
    vocabulary: number of token ids.
    text_bits: (n,) bits of each dialogue's own token ids where features are a look-up of them.
    measured: rows whose messages are measured closely.
    room: where other values of the same uploads go.
    """

    values: np.ndarray
    offsets: np.ndarray
    labels: np.ndarray
    label_offsets: np.ndarray
    sample: np.ndarray
    vocabulary: int
    text_bits: np.ndarray | None = None
    measured: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    room: Room = RAM

    @property
    def width(self) -> int:
        """Numbers d_model of one token's hidden state: what the paper counts of a dialogue (A8)."""
        return self.values.shape[1]

    @property
    def numbers(self) -> np.ndarray:
        """Numbers of each dialogue's upload, d_model for every token (n,)."""
        return np.diff(self.offsets) * self.width

    @property
    def block_bits(self) -> int:
        """Bits of a plain upload of one hidden state and one token id: a dialogue takes many."""
        return plain_upload_bits(self.width, self.vocabulary)

    def changed(self, change: Change) -> "Dialogues":
        """Return uploads with other features; a change sees each dialogue whole."""
        changed = self._blank()
        for row, sample in enumerate(self.sample):
            whole = self.states(row).reshape(1, -1)
            changed.states(row)[:] = change(whole, np.array([sample])).reshape(-1, self.width)
        return changed

    def responded(self, epsilon: float, seed: int) -> "Dialogues":
        """Refuse: a summary is no one label of a few."""
        raise ValueError("randomised response is for labels that are classes")

    def relative_range(self) -> float:
        """Return R of the relative mechanism over whole dialogues."""
        return relative_range_of_unequal(
            [self.states(row).reshape(-1) for row in range(len(self.sample))]
        )

    def read(self, compression: Compression) -> "Dialogues":
        """Return what a server reads from the messages."""
        return self.uploaded(compression).read

    def uploaded(self, compression: Compression) -> "Uploaded[Dialogues]":
        """Return the messages of all dialogues, one in memory at a time.

        Raises:
            NotFiniteError: if a hidden state holds NaN or infinity.
        """
        read = self if compression == PLAIN else self._blank()
        sent = digested_messages(self._messages(compression, read))
        sizes = mean(
            [self._measured(row, read, sent.bits[row], compression) for row in self.measured]
        )
        return Uploaded(sent, read, sizes)

    def _blank(self) -> "Dialogues":
        """Return uploads of the same shape whose features are yet to be filled in."""
        return replace(self, values=self.room.empty(self.values.shape, self.values.dtype))

    def _messages(self, compression: Compression, read: "Dialogues") -> Iterator[bytes]:
        """Yield every dialogue's message, after its features have been read where they differ."""
        for row in range(len(self.sample)):
            message = encode_upload(
                self.states(row),
                self.labels[self.label_offsets[row] : self.label_offsets[row + 1]],
                self.vocabulary,
                compression,
            )
            if read is not self:
                read.states(row)[:] = decode_upload(message)[0]
            yield message

    def states(self, row: int) -> np.ndarray:
        """Return a dialogue's hidden states [L, d_model], a view."""
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def _measured(
        self, row: int, read: "Dialogues", bits: int, compression: Compression
    ) -> MessageSample:
        """Measure one message; what is not the codec's, the ids before it, has no shorter form."""
        sample = message_sample(self.states(row), read.states(row), compression)
        ids = int(bits) - sample.packed_bits
        return replace(
            sample,
            packed_bits=int(bits),
            entropy_coded_bits=sample.entropy_coded_bits + ids,
            limit_bits=sample.limit_bits + ids,
        )
