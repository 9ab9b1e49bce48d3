"""The mechanisms that are audited, and their tests.

A further mechanism is one further entry: a `Mechanism` in `uploads`, `sums`, `counts`, `training`,
or in a module of its own whose entries are added here.
"""

from math import exp, log

from fbftl.attacks.audits.counts import COUNTS
from fbftl.attacks.audits.faults import Fault, broken
from fbftl.attacks.audits.mechanism import Axes, Mechanism, knowing
from fbftl.attacks.audits.sums import SUMS
from fbftl.attacks.audits.training import TRAINING
from fbftl.attacks.audits.trial import MechanismTest, outside, trial_of
from fbftl.attacks.audits.uploads import UPLOADS

MECHANISMS: tuple[Mechanism, ...] = (*UPLOADS, *SUMS, *COUNTS, *TRAINING)

STAGES = (500, 1_000, 8_000)
"""Pairs that fix a test's first threshold, and pairs of the stages before its last."""

SPAN = 16.0
"""How many times smaller or larger than the stated epsilon the least one is sought."""


def audited(
    mechanism: Mechanism,
    epsilon: float,
    seed: int,
    axes: Axes,
    fault: Fault | None = None,
    pairs: int | None = None,
) -> MechanismTest:
    """Test a mechanism at an epsilon, as it is or broken on purpose.

    Args:
        mechanism: one of `MECHANISMS`.
        epsilon: that is stated.
        seed: of this test.
        axes: that each method knows, with their defaults.
        fault: what is broken; None for nothing.
        pairs: of the last stage; the mechanism's own number if None.
    """
    curves = mechanism.curves(epsilon)
    stages = (*STAGES, pairs or mechanism.pairs(epsilon))
    with knowing(axes), broken(fault):
        return trial_of(
            lambda included, of_draw: mechanism.sample(epsilon, included, of_draw),
            curves, stages, seed,
        )  # fmt: skip


def least_allowed(mechanism: Mechanism, epsilon: float, test: MechanismTest) -> float:
    """Return the least epsilon that could be stated without failing a test's last stage.

    It is sought within `SPAN` times the stated one, whose ends stand for all that is beyond.
    """
    low, high = log(epsilon / SPAN), log(epsilon * SPAN)
    while high - low > 0.03:
        middle = (low + high) / 2
        if outside(test.bounds, mechanism.curves(exp(middle))):
            low = middle
        else:
            high = middle
    return exp(high)
