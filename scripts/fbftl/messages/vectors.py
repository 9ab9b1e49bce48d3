"""Uploads that are one vector and one label each: samples with a class."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from fbftl.ground.room import RAM, Room
from fbftl.messages.codec import Compression, compress
from fbftl.messages.encoded import Encoded, encode_rows
from fbftl.messages.link import plain_upload_bits
from fbftl.messages.payload import Change, Uploaded
from fbftl.messages.sample import mean, message_sample
from fbftl.privacy.noise import relative_range, respond


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
