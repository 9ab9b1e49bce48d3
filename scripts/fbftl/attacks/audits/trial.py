"""The test of a mechanism: do rates of true and false positives lie within its trade-off curve?

Outputs of neighbouring data are scored, larger where the record is there. The threshold is fixed on
other draws. Both rates are bounded on the judged draws by Clopper and Pearson, exactly, each at its
part of the error; the mechanism fails where even these bounds lie outside the curve. Of several
scores each has its part of the error too, and so has each stage of a test, for what is badly broken
is found in few draws.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fbftl.attacks.membership import Scores
from fbftl.ground.randomness import stream
from fbftl.privacy.tradeoffs import TradeOff

ERROR = 0.05
"""Probability with which a right mechanism fails a test at most."""

RIGHT = "none"
"""What stands for a fault where nothing is broken."""

CANDIDATES = 201
"""Quantiles of all scores among which a threshold is fixed."""

Sampler = Callable[[NDArray[np.bool_], int], Mapping[str, Scores]]
"""From whether the record is there in each of n trials, and a seed, to scores by their names."""

Curves = Mapping[str, TradeOff]
"""What is stated, by the scores' names."""


@dataclass(frozen=True)
class RateBounds:
    """Bounds of both rates, each exact at its part of the error.

    most_alarms: of the rate of false positives, from above.
    least_hits: of the rate of true positives, from below.
    """

    most_alarms: NDArray[np.float64]
    least_hits: NDArray[np.float64]

    def excess(self, curve: TradeOff) -> NDArray[np.float64]:
        """Return by how much the bounds lie outside a curve, in either direction; else below 0."""
        missed, passed = 1 - self.least_hits, 1 - self.most_alarms
        return np.maximum(
            self.least_hits - curve.power(self.most_alarms), passed - curve.power(missed)
        )

    def excess_in_deviations(self, curve: TradeOff) -> NDArray[np.float64]:
        """Return the excess on the scale of normal quantiles, which compares small rates too."""
        from scipy.special import ndtri

        missed, passed = 1 - self.least_hits, 1 - self.most_alarms
        with np.errstate(invalid="ignore"):
            excess = np.maximum(
                ndtri(self.least_hits) - ndtri(curve.power(self.most_alarms)),
                ndtri(passed) - ndtri(curve.power(missed)),
            )
        return np.where(np.isnan(excess), -np.inf, excess)


@dataclass(frozen=True)
class MechanismTest:
    """What the last stage of a test found.

    fails: whether some score lies outside its curve.
    pairs: pairs of outputs that were judged in all stages.
    bounds: of each score, by its name.
    """

    fails: bool
    pairs: int
    bounds: Mapping[str, RateBounds]


def bounded(scores: Scores, thresholds: NDArray[np.float64], error: float) -> RateBounds:
    """Return bounds of the rates above some thresholds (t,), each at half of an error."""
    # The quantiles of scipy.stats.beta, without the second that its import takes.
    from scipy.special import betaincinv

    hits, alarms = (
        len(side) - np.searchsorted(np.sort(side), thresholds, side="right")
        for side in (scores.member, scores.other)
    )
    members, others = len(scores.member), len(scores.other)
    # A parameter of 0 has no quantile, and the bound is then known without one.
    least = betaincinv(np.maximum(hits, 1), members - hits + 1, error / 2)
    most = betaincinv(alarms + 1, np.maximum(others - alarms, 1), 1 - error / 2)
    return RateBounds(np.where(alarms < others, most, 1.0), np.where(hits > 0, least, 0.0))


def threshold(pilot: Scores, curve: TradeOff, error: float) -> float:
    """Return the threshold at which bounds lie farthest outside the curve, or nearest to it.

    Args:
        pilot: draws that are judged by no threshold that they fix.
        curve: what is stated.
        error: at which their rates are bounded.
    """
    both = np.concatenate([pilot.member, pilot.other])
    thresholds = np.unique(np.quantile(both, np.linspace(0, 1, CANDIDATES), method="lower"))
    excess = bounded(pilot, thresholds, error).excess_in_deviations(curve)
    return float(thresholds[int(excess.argmax())])


def trial_of(
    sample: Sampler, curves: Curves, stages: Sequence[int], seed: int, error: float = ERROR
) -> MechanismTest:
    """Test a mechanism in stages, up to the first that it fails.

    Args:
        sample: draws trials of the mechanism.
        curves: what is stated for each score.
        stages: pairs of outputs of the pilot, which fixes the first threshold, and of each stage,
            which fixes the next one's.
        seed: of this test: another one draws other outputs.
        error: of the whole test.
    """
    pilot, *judged = stages
    rng = stream(seed, "audit")
    before, pairs = _drawn(sample, pilot, rng), 0
    part = error / len(judged) / len(curves)
    for size in judged:
        scores = _drawn(sample, size, rng)
        pairs += size
        bounds = {
            name: bounded(
                scores[name],
                np.array([threshold(before[name], curve, part)]),
                part,
            )
            for name, curve in curves.items()
        }
        fails = outside(bounds, curves)
        if fails:
            break
        before = scores
    return MechanismTest(fails, pairs, bounds)


def outside(bounds: Mapping[str, RateBounds], curves: Curves) -> bool:
    """Tell whether the bounds of some score lie outside its curve."""
    return any(bool((bounds[name].excess(curve) > 0).any()) for name, curve in curves.items())


def _drawn(sample: Sampler, pairs: int, rng: np.random.Generator) -> Mapping[str, Scores]:
    """Return the scores of so many pairs, the record there in half of the trials at random."""
    return sample(rng.permutation(2 * pairs) < pairs, int(rng.integers(2**62)))
