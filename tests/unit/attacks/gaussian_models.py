"""Models whose confidences are normal, so that the optimal attack is known."""

import numpy as np
from fbftl.attacks.shadows import Population, TargetView, against
from fbftl.ground.randomness import stream


def trained_on_halves(gain: float, models: int = 16, samples: int = 400, seed: int = 0):
    """Models whose confidence in a sample is how easy it is, noise, and `gain` if it was seen."""
    rng = stream(seed, "test")
    member = rng.random((models, samples)) < 0.5
    easy = 5 * rng.normal(size=samples)
    noise = rng.normal(size=(models, samples))
    unseen = 5 * rng.normal(size=samples) + rng.normal(size=(models, samples))
    return Population(easy + noise + gain * member, member, ~member, unseen)


def few_shadows(
    spread: np.ndarray, shadows: int, gain: float = 0.0, *, inside: int = 0, seed: int = 0
) -> TargetView:
    """The first model is the target, the rest are shadows: `inside` of them trained on all samples.

    Args:
        spread: (n,) standard deviation of each sample's confidence.
        shadows: number of shadows that saw no sample.
        gain: of a member, in units of its spread; half of the samples are the target's members.
        inside: number of shadows that saw every sample.
        seed: of the draws.
    """
    rng, samples = stream(seed, "test"), len(spread)
    member = np.zeros((1 + shadows + inside, samples), dtype=bool)
    member[0, ::2] = True
    member[1 + shadows :] = True
    noise = rng.normal(size=member.shape)
    confidence = 5 * rng.normal(size=samples) + spread * (noise + gain * member)
    models = Population(confidence, member, ~member, np.zeros((len(member), 1)))
    return against(models, 0, range(1, len(member)))
