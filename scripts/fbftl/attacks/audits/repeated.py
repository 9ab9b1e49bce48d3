"""Tests of mechanisms again and again: how often a broken one is caught, and a right one fails."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fbftl.attacks.audits.faults import Fault
from fbftl.attacks.audits.mechanism import Axes, Mechanism
from fbftl.attacks.audits.mechanisms import MECHANISMS, STAGES, audited, least_allowed
from fbftl.attacks.audits.trial import ERROR, RIGHT

EPSILONS = (0.5, 1.0, 4.0, 8.0)


@dataclass(frozen=True)
class Cell:
    """One mechanism, right or broken in one way, at one epsilon.

    mechanism: its name.
    fault: its kind, or `RIGHT`.
    """

    mechanism: str
    fault: str
    epsilon: float

    def tested(self, axes: Axes) -> dict[str, Any]:
        """Return one test, and the least epsilon that it allows to be stated.

        Args:
            axes: that each method knows, with their defaults.
        """
        mechanism = named(self.mechanism)
        trial = audited(mechanism, self.epsilon, 0, axes, self._fault_of(mechanism))
        return {
            "mechanism": self.mechanism,
            "neighbours": mechanism.neighbours,
            "fault": self.fault,
            "epsilon": self.epsilon,
            "pairs": trial.pairs,
            "fails": trial.fails,
            "least": least_allowed(mechanism, self.epsilon, trial),
        }

    def repeated(self, repetitions: int, axes: Axes, pairs: int | None = None) -> dict[str, Any]:
        """Return how many tests failed, and what they took.

        Args:
            repetitions: tests, each of draws of its own.
            axes: that each method knows, with their defaults.
            pairs: of a test's last stage; the mechanism's own number if None.
        """
        mechanism = named(self.mechanism)
        fault = self._fault_of(mechanism)
        started = time.process_time()
        trials = [
            audited(mechanism, self.epsilon, seed, axes, fault, pairs)
            for seed in range(repetitions)
        ]
        return {
            "mechanism": self.mechanism,
            "neighbours": mechanism.neighbours,
            "fault": self.fault,
            "epsilon": self.epsilon,
            "repetitions": repetitions,
            "failed": sum(trial.fails for trial in trials),
            "pairs": sum(STAGES[1:]) + (pairs or mechanism.pairs(self.epsilon)),
            "seconds": time.process_time() - started,
        }

    def _fault_of(self, mechanism: Mechanism) -> Fault | None:
        return {fault.kind: fault for fault in mechanism.faults}.get(self.fault)


def named(name: str) -> Mechanism:
    """Return the mechanism of a name."""
    return {mechanism.name: mechanism for mechanism in MECHANISMS}[name]


def cells(epsilons: Sequence[float] = EPSILONS) -> list[Cell]:
    """Return every cell that exists: each mechanism right, then with each of its faults."""
    return [
        Cell(mechanism.name, fault, epsilon)
        for mechanism in MECHANISMS
        for fault in (RIGHT, *(fault.kind for fault in mechanism.faults))
        for epsilon in epsilons
    ]


def most_failures(repetitions: int, error: float = ERROR, doubt: float = 0.05) -> int:
    """Return how many right tests may fail before they fail too often for their error.

    Args:
        repetitions: of the test.
        error: of each.
        doubt: probability with which more fail of tests that have just this error.
    """
    from scipy.stats import binom

    return int(binom.ppf(1 - doubt, repetitions, error))
