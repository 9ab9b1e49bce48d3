"""Uploads that are one vector and one label each: samples with a class."""

from dataclasses import dataclass, replace

import numpy as np

from fbftl.messages.codec import Compression, compress
from fbftl.messages.link import plain_upload_bits
from fbftl.messages.payload import Change, Uploaded
from fbftl.messages.release import Encoded, release
from fbftl.messages.sample import SAMPLED_UPLOADS, mean, measure, spread_evenly
from fbftl.privacy.noise import relative_range, respond


@dataclass(frozen=True, eq=False)
class Vectors:
    """Vectors with a label each: a `Payload`.

    values: (n, X) float32.
    labels: (n,) int64, as they are sent.
    sample: (n,) number of each sample in the data set.
    classes: number of classes N.
    """

    values: np.ndarray
    labels: np.ndarray
    sample: np.ndarray
    classes: int

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
        return replace(self, values=change(self.values, self.sample))

    def responded(self, epsilon: float, seed: int) -> "Vectors":
        """Return uploads whose labels went through randomised response."""
        answers = respond(
            self.labels, self.sample, epsilon=epsilon, classes=self.classes, seed=seed
        )
        return replace(self, labels=answers)

    def largest_difference(self) -> float:
        """Return R of the relative mechanism."""
        return relative_range(self.values)

    def read(self, compression: Compression) -> "Vectors":
        """Return what a server reads from the messages, without making them."""
        return replace(self, values=compress(self.values, compression).values)

    def uploaded(self, compression: Compression) -> Uploaded:
        """Return the messages of all samples.

        Raises:
            NotFiniteError: if a vector holds NaN or infinity.
        """
        sent = release(self.values, compression, self.labels, self.classes)
        rows = spread_evenly(len(self.values), SAMPLED_UPLOADS)
        sizes = mean(measure(sent, rows, compression, self.labels, self.classes))
        return Uploaded(Encoded(sent.bits, sent.digests), replace(self, values=sent.values), sizes)
