"""What uploads say: of samples whatever they are, and as one vector and one label each."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from fbftl.ground.room import RAM, Room
from fbftl.messages.channel import plain_upload_bits
from fbftl.messages.codec import Compression, compress
from fbftl.messages.encoded import Encoded, encode_rows, mean, message_sample
from fbftl.privacy.noise import relative_range, respond

Change = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From whole uploads (m, X) and the ids (m,) of their samples to what is sent instead, (m, X)."""


class Payload(Protocol):
    """Features at the cut with their labels, an upload for each of n samples.

    Mechanisms see an upload as one vector, however many tokens it has: what they clip and protect
    is the whole sample.
    """

    @property
    def sample(self) -> np.ndarray:
        """Number of each sample in the data set (n,)."""

    @property
    def width(self) -> int:
        """Numbers of one feature vector: what the paper counts of an upload."""

    @property
    def numbers(self) -> int | np.ndarray:
        """Numbers that each upload really holds, one for all or (n,)."""

    @property
    def block_bits(self) -> int:
        """Bits of a plain upload of one feature vector: the block size of every link here.

        The paper's Fig. 6 takes the same: one FbFTL upload is one block.
        """

    @property
    def text_bits(self) -> np.ndarray | None:
        """Bits of each sample itself (n,), where features are a look-up of it (audit row A18)."""

    def changed(self, change: Change) -> Self:
        """Return uploads with other features, such as noisy ones."""

    def responded(self, epsilon: float, seed: int) -> Self:
        """Return uploads whose labels went through randomised response."""

    def relative_range(self) -> float:
        """Return R of the relative mechanism, see `privacy.noise.relative_range`."""

    def read(self, compression: Compression) -> Self:
        """Return what a server reads from the messages, without making them."""

    def uploaded(self, compression: Compression) -> "Uploaded[Self]":
        """Return the messages of all samples, whether or not their clients take part."""


PayloadT = TypeVar("PayloadT", bound=Payload)
ReadT = TypeVar("ReadT", bound=Payload, covariant=True)
"""Of whoever reads a payload and is given none."""


@dataclass(frozen=True, eq=False)
class Uploaded(Generic[PayloadT]):
    """The messages of all samples, themselves forgotten, and what the server reads from them.

    sent: length and digest of each.
    read: what the server reads.
    sizes: what a sample of the messages measures, by name.
    """

    sent: Encoded
    read: PayloadT
    sizes: dict[str, float]


@dataclass(frozen=True, eq=False)
class Vectors:
    """Vectors with a label each: a `Payload`.

    values: (n, X) float32.
    labels: (n,) int64, as they are sent.
    sample: (n,) number of each sample in the data set.
    classes: number of classes N.
    measured: rows whose messages are measured closely.
    room: where other values of the same uploads go.
    """

    values: np.ndarray
    labels: np.ndarray
    sample: np.ndarray
    classes: int
    measured: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    room: Room = RAM

    @property
    def width(self) -> int:
        """Numbers X of a vector."""
        return self.values.shape[1]

    @property
    def numbers(self) -> int:
        """Numbers of each upload."""
        return self.width

    @property
    def block_bits(self) -> int:
        """Bits of a plain upload."""
        return plain_upload_bits(self.width, self.classes)

    @property
    def text_bits(self) -> None:
        """Nothing: a vector is no text."""

    def changed(self, change: Change) -> "Vectors":
        """Return uploads with other features."""
        return self._with(lambda part: change(self.values[part], self.sample[part]))

    def responded(self, epsilon: float, seed: int) -> "Vectors":
        """Return uploads whose labels went through randomised response."""
        answers = respond(
            self.labels, self.sample, epsilon=epsilon, classes=self.classes, seed=seed
        )
        return replace(self, labels=answers)

    def relative_range(self) -> float:
        """Return R of the relative mechanism."""
        return relative_range(self.values)

    def read(self, compression: Compression) -> "Vectors":
        """Return what a server reads from the messages, without making them."""
        return self._with(lambda part: compress(self.values[part], compression).values)

    def uploaded(self, compression: Compression) -> "Uploaded[Vectors]":
        """Return the messages of all samples.

        Raises:
            NotFiniteError: if a vector holds NaN or infinity.
        """
        bits: list[np.ndarray] = []
        digests: list[bytes] = []

        def sent(part: slice) -> np.ndarray:
            encoded = encode_rows(self.values[part], compression, self.labels[part], self.classes)
            bits.append(encoded.bits)
            digests.extend(encoded.digests)
            return encoded.values

        read = self._with(sent)
        labels, classes = self.labels[:, None], self.classes
        samples = [
            message_sample(self.values[row], read.values[row], compression, labels[row], classes)
            for row in self.measured
        ]
        return Uploaded(Encoded(np.concatenate(bits), digests), read, mean(samples))

    def _with(self, make: Callable[[slice], np.ndarray]) -> "Vectors":
        return replace(self, values=self.room.rows(self.values.shape, make))
