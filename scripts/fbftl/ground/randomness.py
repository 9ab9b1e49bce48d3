"""Random streams: one independent generator per (seed, concern).

Each concern (subset, loss, noise, init, batches, ...) draws from its own stream, so that changing
one axis of a setting never reshuffles another.
"""

from zlib import crc32

import numpy as np


def stream(seed: int, concern: str, *keys: int) -> np.random.Generator:
    """Return the generator of one concern under one seed.

    Args:
        seed: the repetition's seed, non-negative.
        concern: what is drawn, e.g. ``"loss"``; any fixed word.
        keys: further non-negative integers that split the stream, e.g. a client or a round.
    """
    return np.random.default_rng(np.random.SeedSequence([seed, crc32(concern.encode()), *keys]))


def torch_seed(seed: int, concern: str, *keys: int) -> int:
    """Return a 63-bit seed for ``torch.Generator.manual_seed`` from the same streams."""
    return int(stream(seed, concern, *keys).integers(2**63))
