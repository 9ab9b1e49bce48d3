"""RMIA: the robust membership inference attack (Zarifzadeh, Liu and Shokri, ICML 2024).

A candidate x is compared with many samples z that the target was not trained on. The ratio of both
likelihoods is LR(x, z) = [Pr(x|θ) / Pr(x)] / [Pr(z|θ) / Pr(z)], where Pr(·|θ) is the probability of
the sample's label under the target and Pr(·) its mean over models with and without the sample. The
score is the share of the z with LR(x, z) > γ (Eqs. 2 and 4), which is why every target has a
threshold of its own.

*Online*, Pr(x) is the mean of shadows with and without x. *Offline* there are only shadows without
it, from whose mean p Pr(x) is taken to be ((1 + a) p + 1 - a) / 2; the authors choose a on models
whose members are known. As in their public code γ is 1, the inequality is strict, and z are samples
that no model was trained on.
"""

from dataclasses import dataclass

import numpy as np

from fbftl.attacks.shadows import Floats, TargetView

GAMMA = 1.0
"""By how much a candidate has to exceed a sample z."""

OFFSETS = tuple(index / 10 for index in range(11))
"""Values of a among which one is chosen."""


def with_offset(outside: Floats, offset: float) -> Floats:
    """Return Pr(x) from the mean probability without x and a, elementwise."""
    return (1 + offset) / 2 * outside + (1 - offset) / 2


def dominated(candidates: Floats, references: Floats, gamma: float = GAMMA) -> Floats:
    """Return the share of the references whose ratio each candidate's exceeds γ times.

    Args:
        candidates: (n,) Pr(x|θ) / Pr(x).
        references: (p,) Pr(z|θ) / Pr(z).
        gamma: at least 1.
    """
    return np.searchsorted(np.sort(gamma * references), candidates, "left") / len(references)


@dataclass(frozen=True)
class Rmia:
    """The attack with its a; None where it is online."""

    offset: float | None = None

    def __call__(self, seen: TargetView) -> Floats:
        """Score candidates (c,)."""
        if self.offset is None:
            x = (seen.probability_inside + seen.probability_outside) / 2
            z = seen.unseen_probability
        else:
            x = with_offset(seen.probability_outside, self.offset)
            z = with_offset(seen.unseen_probability, self.offset)
        return dominated(seen.probability / x, seen.models.unseen_probability[seen.target] / z)
