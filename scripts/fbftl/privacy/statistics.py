"""Privacy of clipped statistics: how far one sample moves a message, and the noise for it.

A sample x of class y with ‖x‖ ≤ c adds (e_y, x e_yᵀ, x xᵀ) to a message (n, A, B). Adding or
removing it moves (A, B) by at most √(c² + c⁴), since ‖x xᵀ‖ = ‖x‖², and the whole message with its
counts by √(1 + c² + c⁴). Replacing it by z of another class moves the whole message by the root of
2 + ‖x‖² + ‖z‖² + ‖x‖⁴ + ‖z‖⁴ - 2 (x·z)², at most √2 times as far, where x and z are orthogonal.
Within a class the counts stay, and A moves by x - z: with t = x·z the square is
2c² + 2c⁴ - 2t - 2t², at most ½ more than 2c² + 2c⁴ (t = -½, where c² ≥ ½), or 4c² (t = -c², where
c is smaller). That is less than with another class if counts are sent, and more if they are not.

What is sent is the upper triangle of B, whose norm is at most that of B, and equal to it for x
along an axis: every bound holds for it, and those with counts are attained.

Samples are clipped and scaled to c = 1 before, which costs nothing and balances the three parts.
"""

from math import sqrt

import numpy as np

from fbftl.ground.randomness import stream
from fbftl.privacy import accounting
from fbftl.privacy.composition import as_documents, gaussian
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.privacy.noise import clip_rows

LOCAL = (
    "Holds against the server too: every client noises its own statistics. Labels and numbers of"
    " samples are covered."
)

CENTRAL = (
    "Holds against the server, which sees the noisy sum alone, as long as it does not collude with"
    " the dealer, which adds the noise. Labels and numbers of samples are covered."
)


def sensitivity(clip_norm: float, adjacency: str = "add-remove", counts: bool = True) -> float:
    """Return by how much one sample moves a message of statistics at most, in L2 norm.

    Args:
        clip_norm: bound c on the length of a sample.
        adjacency: add-remove or replace-one.
        counts: whether the message holds the counts n_c beside A and B.
    """
    squared = clip_norm**2 + clip_norm**4
    if adjacency == "add-remove":
        return sqrt(squared + counts)
    if counts:
        return sqrt(2 * squared + 2)
    within = 2 * squared + 0.5 if clip_norm**2 >= 0.5 else 4 * clip_norm**2
    return sqrt(max(2 * squared, within))


def clipped(values: np.ndarray, clip_norm: float) -> np.ndarray:
    """Return samples (n, d) clipped to c and scaled to c = 1, float32."""
    return clip_rows(values, clip_norm) / np.float32(clip_norm)


def statistics_guarantee(
    *, clip_norm: float, epsilon: float | None, sigma: float | None, delta: float, central: bool
) -> PrivacyRecord:
    """Return what one Gaussian on statistics guarantees a sample that is replaced by any other.

    Args:
        clip_norm: c, to which samples are clipped before they are scaled to length one.
        epsilon: what the noise is calibrated to; None if `sigma` is given.
        sigma: standard deviation of the noise on every number of the message, after scaling.
        delta: of the guarantee.
        central: whether the noise is on the secure sum, or on every client's message.
    """
    reach = sensitivity(1.0, "replace-one")
    if sigma is None:
        sigma = reach * accounting.gaussian_sigma(epsilon, delta, "zero-out")
    return PrivacyRecord(
        mechanism="gaussian",
        unit="sample",
        adjacency="replace-one",
        clip_norm=clip_norm,
        sigma=sigma,
        noise_std=sigma,
        epsilon=accounting.gaussian_epsilon(sigma / reach, delta, "zero-out"),
        delta=delta,
        accountant="exact Gaussian",
        covers_labels=True,
        note=CENTRAL if central else LOCAL,
        # As a multiplier counts it, over half of what replacing a sample moves.
        events=as_documents([gaussian(2 * sigma / reach, summed=True)]),
    )


def statistics_noise(std: float, count: int, seed: int, *keys: int) -> np.ndarray:
    """Return the noise (count,) on one message, float64.

    Args:
        std: its standard deviation.
        count: numbers of the message.
        seed: the repetition's seed.
        keys: what splits the stream, such as a client or a sum.
    """
    return std * stream(seed, "statistics_noise", *keys).standard_normal(count)
