"""What the uploads of all samples say, whatever a sample is: changed, encoded, read again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from fbftl.messages.codec import Compression
from fbftl.messages.encoded import Encoded

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
