"""Messages that the codec has made: their bytes or digests, and what they say."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np

from fbftl.messages.codec import Compression, encode_each


@dataclass(frozen=True, eq=False)
class EncodedRows:
    """Rows of values as messages of the codec, and what the server reads from them.

    wanted: (n, X) what the clients had to say, before compression.
    values: (n, X) float32, decoded.
    messages: n encoded messages, one per row.
    how_known: that all of the messages were made.
    """

    wanted: np.ndarray
    values: np.ndarray
    messages: list[bytes]
    how_known = "made"

    @cached_property
    def bits(self) -> np.ndarray:
        """Length of each message in bits (n,), header included."""
        return 8 * np.array([len(message) for message in self.messages], dtype=np.int64)

    @cached_property
    def digests(self) -> list[bytes]:
        """SHA-256 of each message."""
        return [sha256(message).digest() for message in self.messages]


@dataclass(frozen=True, eq=False)
class Encoded:
    """Messages that were made and forgotten again, which may be longer than memory.

    bits: (n,) length of each.
    digests: SHA-256 of each; None of those that were only counted, as long as those made.
    """

    bits: np.ndarray
    digests: Sequence[bytes | None]

    @property
    def how_known(self) -> str | list[str]:
        """Whether messages were made or counted: one word for all, or one for each."""
        words = ["counted" if digest is None else "made" for digest in self.digests]
        return words[0] if len(set(words)) == 1 else words


def digested_messages(messages: Iterable[bytes]) -> Encoded:
    """Return length and digest of messages that are made one at a time."""
    bits, digests = [], []
    for message in messages:
        bits.append(8 * len(message))
        digests.append(sha256(message).digest())
    return Encoded(np.array(bits, dtype=np.int64), digests)


def encode_rows(
    values: np.ndarray,
    compression: Compression,
    labels: np.ndarray | None = None,
    classes: int | None = None,
) -> EncodedRows:
    """Encode each row of `values` (n, X) as a message, Eq. (22), with its label if there are any.

    Raises:
        ValueError: if `values` is empty or holds NaN or infinity, or a label is out of range.
    """
    messages, decoded = encode_each(values, labels, classes, compression)
    return EncodedRows(values, decoded, messages)
