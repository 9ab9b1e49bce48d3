"""What an audit needs of a mechanism: its outputs scored, what is stated, how it may be broken.

A further mechanism is one further `Mechanism`, in the list of `attacks.audits.mechanisms`. Its
sampler calls the project's own functions as runs do, with long records, so that it matters whether
they are clipped; where the likelihood ratio is known, it is the score. Beside the score of one
release there may be others: of an adversary that compares two rounds, two clients or two releases,
in which noise that repeats cancels.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fbftl.attacks.audits.faults import Fault
from fbftl.attacks.audits.trial import Curves
from fbftl.attacks.membership import Scores
from fbftl.study.job import Job, from_params

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

DELTA = 1e-5
"""Of all audited guarantees that have one."""

CLIP = 1.5
"""L2 norm that records are clipped to."""

LONG = 10.0
"""How many times longer they are."""

RELEASE, ROUNDS, CLIENTS, RELEASES = "release", "two rounds", "two clients", "two releases"
"""What an adversary sees: one output, or two of them that it compares."""

PAIRS = 50_000
"""Pairs of outputs by which a mechanism is judged."""

SMALL, MANY_PAIRS = 1.0, 100_000
"""Below this epsilon a fault that changes noise by the root of two needs so many."""


Sample = Callable[[float, Flags, int], Mapping[str, Scores]]
"""From epsilon, which trials have the record (n,), and a seed to scores by their names."""


@dataclass(frozen=True)
class Mechanism:
    """One mechanism as it is audited.

    name: as a table names it.
    neighbours: what is different between the data of the two outputs of a pair.
    curves: from the stated epsilon to the trade-off curve of each score.
    sample: from epsilon, which trials have the record (n,), and a seed to the scores by name.
    faults: the ways in which it may be broken.
    fine: whether a fault of it changes noise by the root of two only.
    """

    name: str
    neighbours: str
    curves: Callable[[float], Curves]
    sample: Sample
    faults: tuple[Fault, ...]
    fine: bool = False

    def pairs(self, epsilon: float) -> int:
        """Return the pairs of the last stage of its test."""
        return MANY_PAIRS if self.fine and epsilon < SMALL else PAIRS


def split(scores: Floats, included: Flags) -> Scores:
    """Return scores (n,) with the record and without it."""
    values = np.asarray(scores, dtype=np.float64)
    return Scores(values[included], values[~included])


def signs(included: Flags) -> Floats:
    """Return 1 where the record is there and -1 where another one is in its place, (n,)."""
    return np.where(included, 1.0, -1.0)


def long_records(included: Flags, width: int) -> NDArray[np.float32]:
    """Return records (n, width) along the first axis, long enough to be clipped, of either sign."""
    records = np.zeros((len(included), width), dtype=np.float32)
    records[:, 0] = LONG * CLIP * signs(included)
    return records


def without_noise(first: Floats, second: Floats, ratio: float) -> Floats:
    """Return what two outputs of one record would be without noise, if they shared it.

    Args:
        first: (n,) under some noise.
        second: (n,) under as many times as much.
        ratio: how many times.
    """
    return (ratio * first - second) / (ratio - 1)


def beside_neighbour(outputs: Floats, clean: Floats) -> Floats:
    """Return every second output less the noise on its neighbour, whose data are known.

    Args:
        outputs: (n,), n even.
        clean: (n,) what they are without noise.
    """
    return outputs[::2] - (outputs[1::2] - clean[1::2])


Axes = Mapping[str, Mapping[str, Any]]
"""The axes that each method knows, with their defaults."""

_AXES: ContextVar[Axes] = ContextVar("axes of the jobs that samplers make")


@contextmanager
def knowing(axes: Axes) -> Iterator[None]:
    """Have jobs know their methods' axes, which no module of a job may import."""
    token = _AXES.set(axes)
    try:
        yield
    finally:
        _AXES.reset(token)


def job_of(
    method: str,
    *,
    clients_per_round: int = 1,
    rounds: int | None = None,
    privacy: Mapping[str, Any] | None = None,
    block: Mapping[str, Any] | None = None,
    **axes: Any,
) -> Job:
    """Return a job of a method under some axes, as the workflow would hand it to a run."""
    training = {
        "epochs": 1, "batch": 1, "clients_per_round": clients_per_round, "rounds": rounds,
        "learning_rate": 0.1, "momentum": 0.0, "weight_decay": 0.0, "validation": 0.0,
        "selection": "last",
    }  # fmt: skip
    params = {
        "task": "audit", "kind": "images", "setting": {"method": method} | axes, "seeds": [0],
        "clients": {}, "training": training, "privacy": {"delta": DELTA} | dict(privacy or {}),
        "block": dict(block or {}),
    }  # fmt: skip
    return from_params(params, _AXES.get())


def blocks(count: int, size: int) -> Sequence[slice]:
    """Return the trials in blocks of one call each."""
    return [slice(first, first + size) for first in range(0, count, size)]
