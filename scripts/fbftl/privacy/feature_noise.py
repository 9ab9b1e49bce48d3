"""Noise on features inside the forward pass (paper fedfeat, Eq. 3-5): as printed, and as it holds.

The paper scales its noise by a sensitivity that it states as 1, while nothing bounds the features,
which are released again every round. `bounded` clips each sample's features and pays for every
round that a client takes part in. The two never share the name of a mechanism.
"""

from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from fbftl.privacy import accounting
from fbftl.privacy.mechanisms import LABELS_OPEN, PrivacyRecord, gaussian

STATED_SENSITIVITY = 1.0
"""The paper's Delta, in every run that it prints."""

PUBLISHED_NOTE = (
    "No guarantee: nothing bounds the features to the stated sensitivity of 1, the same samples"
    " are released every round, and weights and labels go in clear."
)

WEIGHTS_OPEN = (
    " Weights are sent as they are, trained on the same samples: the guarantee is for the features"
    " alone. It is over all rounds that a client takes part in; the server sees who does, so that"
    " sampling amplifies nothing."
)


@dataclass(frozen=True)
class FeatureNoise:
    """Noise that is added to every number of a sample's features, anew in every pass.

    law: gaussian or laplace.
    scale: standard deviation sigma, or Laplace's lambda.
    records: what it guarantees, the one that it was calibrated to first.
    """

    law: str
    scale: float
    records: tuple[PrivacyRecord, ...]

    def draw(self, shape: tuple[int, ...], draws: np.random.Generator) -> np.ndarray:
        """Return fresh noise of a shape, float32."""
        if self.law == "gaussian":
            return np.float32(self.scale) * draws.standard_normal(shape, dtype=np.float32)
        return draws.laplace(scale=self.scale, size=shape).astype(np.float32)


def printed_sigma(epsilon: float, delta: float, sensitivity: float = STATED_SENSITIVITY) -> float:
    """Return the standard deviation of Eq. (5), sqrt(2 ln(1/delta)) Delta / epsilon."""
    return sensitivity * sqrt(2 * log(1 / delta)) / epsilon


def published(mechanism: str, epsilon: float, delta: float | None = None) -> FeatureNoise:
    """Return the noise of Eq. (5) at the stated sensitivity, which guarantees nothing.

    Args:
        mechanism: feature_gaussian or feature_laplace.
        epsilon: the paper's.
        delta: the paper's, which it never gives; Laplace has none.
    """
    if mechanism == "feature_gaussian":
        scale = printed_sigma(epsilon, delta)
        spread = scale
    else:
        scale = STATED_SENSITIVITY / epsilon
        spread = sqrt(2) * scale
    record = PrivacyRecord(mechanism, PUBLISHED_NOTE, noise_std=spread)
    return FeatureNoise(mechanism.removeprefix("feature_"), scale, (record,))


def bounded(
    *, clip_norm: float, delta: float, rounds: int, epsilon: float | None, sigma: float | None
) -> FeatureNoise:
    """Return Gaussian noise on clipped features that holds over all of a client's rounds.

    First per sample replaced by any other (sensitivity 2 c a round), then per sample zeroed (c).

    Args:
        clip_norm: L2 clip norm c of a sample's features.
        delta: delta over all rounds.
        rounds: most rounds that a client takes part in; in each it releases a sample once.
        epsilon: epsilon over all rounds, replace-one; None if `sigma` is given.
        sigma: noise standard deviation over c.
    """
    multiplier = sigma or accounting.rounds_sigma(
        epsilon, delta, rate=1.0, rounds=rounds, adjacency="replace-one"
    )
    noise = {"clip_norm": clip_norm, "sigma": multiplier, "delta": delta}
    records = gaussian(**noise, times=rounds, note=LABELS_OPEN + WEIGHTS_OPEN)
    return FeatureNoise("gaussian", multiplier * clip_norm, records)


def epsilon_at_stated_sensitivity(sigma: float, delta: float, rounds: int = 1) -> float:
    """Return what Gaussian noise would give if a sample moved its features by 1 at most.

    Exactly, over so many releases of the same samples.

    Args:
        sigma: standard deviation of the noise.
        delta: delta of the guarantee.
        rounds: releases.
    """
    multiplier = sigma / STATED_SENSITIVITY
    return accounting.rounds_epsilon(
        multiplier, delta, rate=1.0, rounds=rounds, adjacency="zero-out"
    )
