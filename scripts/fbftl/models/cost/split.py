"""What split training exchanges per client and round, in closed form (paper eppfl, Sec. 2.3)."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from fbftl.ground.floats import FLOAT_BYTES, as_written


@dataclass(frozen=True)
class CutMap:
    """One sample's activations at the layer where a network is split.

    channels: k; activations that are a row make one.
    positions: N_c, activations of each channel.
    """

    channels: int
    positions: int

    @property
    def width(self) -> int:
        """N = k N_c, activations of one sample."""
        return self.channels * self.positions

    def kept(self, share: float) -> int:
        """Return k ⌈θ N_c⌉, what is left of a sample where every channel keeps a share θ."""
        return self.channels * kept_of(self.positions, share)


def kept_of(positions: int, share: float) -> int:
    """Return ⌈θ N⌉, with θ taken as the decimal number written in the config."""
    return ceil(as_written(share) * positions)


def printed_uplink_bytes(samples: int, epochs: int, share: float, width: int) -> Fraction:
    """Return 4 D E (θ_a N + 1): activations and labels, as the paper counts them.

    Args:
        samples: D, those of a client.
        epochs: E, local epochs.
        share: θ_a.
        width: N.
    """
    return FLOAT_BYTES * samples * epochs * (as_written(share) * width + 1)


def printed_downlink_bytes(batches: int, epochs: int, share: float, width: int) -> Fraction:
    """Return 4 θ_g T E N: a gradient per batch, as the paper counts them.

    Args:
        batches: T, mini-batches of a local epoch.
        epochs: E, local epochs.
        share: θ_g.
        width: N.
    """
    return FLOAT_BYTES * batches * epochs * as_written(share) * width
