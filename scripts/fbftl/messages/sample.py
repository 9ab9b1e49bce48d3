"""A sample of a run's real messages, measured closely: entropy coding, its limit, distortion.

The ledger knows the length of every message that was sent. What an entropy coder would make of
them, and how far what the server reads is from what the client wanted to say, is measured where
the content is at hand, in the training job, on a sample that costs next to nothing.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from fbftl.messages.codec import Compression, MessageSize, message_size

SAMPLED_UPLOADS = 64
"""Uploads of FbFTL that are measured, spread evenly over all."""


@dataclass(frozen=True)
class MessageSample(MessageSize):
    """One message that was measured.

    distortion: squared error of what the server reads over the squared norm of what the
        client wanted to send. Error feedback contracts only below 1.
    """

    distortion: float


def message_sample(
    wanted: np.ndarray,
    read: np.ndarray,
    compression: Compression,
    labels: np.ndarray | None = None,
    classes: int | None = None,
) -> MessageSample:
    """Measure one message.

    Args:
        wanted: (X,) or (rows, X) what the client had to say.
        read: what the server reads, of the same shape.
        compression: q and r that made the message.
        labels: (rows,) labels that it carries, if any.
        classes: number of classes N, if it carries labels.
    """
    size = message_size(wanted, labels, classes, compression)
    distortion = _distortion(wanted.reshape(-1), read.reshape(-1))
    return MessageSample(**asdict(size), distortion=distortion)


def spread_evenly(count: int, wanted: int) -> np.ndarray:
    """Return up to `wanted` of the rows 0 to count - 1, spread evenly."""
    return np.unique(np.linspace(0, count - 1, min(wanted, count)).round().astype(np.int64))


def mean(samples: Sequence[MessageSample]) -> dict[str, float]:
    """Return the mean of each measure; nothing if nothing was measured."""
    if not samples:
        return {}
    rows = [asdict(sample) for sample in samples]
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def _distortion(wanted: np.ndarray, read: np.ndarray) -> float:
    exact = wanted.astype(np.float64)
    energy = float(exact @ exact)
    error = exact - read
    return float(error @ error) / energy if energy > 0 else 0.0
