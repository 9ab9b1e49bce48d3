"""What several releases of the same records cost together: accounting events, composed.

An event is one release as an accountant sees it, for one unit and one kind of neighbours. Gaussian
releases alone compose exactly, pure ones alone by their sum; whatever else is mixed composes by
privacy loss distributions (PLD), whose rounding is pessimistic. An event without a guarantee leaves
none to the sum.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf, sqrt
from typing import Any

from fbftl.privacy.accounting import (
    GRID,
    SENSITIVITY,
    Adjacency,
    gaussian_epsilon,
    on_fine_grid,
    relation_of,
    require_accountable,
)

COARSE_GRID = 1e-2
"""Coarsest discretisation of the privacy loss where many distributions compose."""

LARGE = 50.0
"""A pure event of more hides nothing, and is added to what the others cost."""

MANY = 8
"""So many different events take the coarse grid."""


@dataclass(frozen=True, order=True)
class Event:
    """One release, so many times.

    kind: gaussian; sampled, a Gaussian sum over Poisson-sampled records; pure, which epsilon says
        all of (Laplace noise, randomised response); none, without a guarantee.
    multiplier: noise standard deviation over the clip norm, what one record moves at most.
    rate: probability with which a record takes part.
    epsilon: of a pure event, for the unit and the neighbours at hand.
    times: how often it happens.
    summed: whether one noise is on the sum of all records; else each has a noise of its own.

    Raises:
        UserError: if noise, rate, epsilon or times are out of their range.
    """

    kind: str
    multiplier: float = 0.0
    rate: float = 1.0
    epsilon: float = 0.0
    times: int = 1
    summed: bool = False

    def __post_init__(self) -> None:
        if self.kind == "pure":
            require_accountable(self.epsilon)
        elif self.kind != "none":
            require_accountable(self.multiplier, rate=self.rate, rounds=self.times)


NO_GUARANTEE = Event("none")


def gaussian(multiplier: float, times: int = 1, summed: bool = False) -> Event:
    """Return a Gaussian release of all records, each noised or their sum."""
    return Event("gaussian", multiplier, times=times, summed=summed)


def rounds(multiplier: float, rate: float, times: int) -> Event:
    """Return Gaussian sums over Poisson-sampled records; at rate 1 of all of them."""
    if rate == 1:
        return gaussian(multiplier, times, summed=True)
    return Event("sampled", multiplier, rate, times=times, summed=True)


def pure(epsilon: float, times: int = 1) -> Event:
    """Return a release that is epsilon-DP."""
    return Event("pure", epsilon=epsilon, times=times)


def as_documents(events: Iterable[Event]) -> tuple[dict[str, Any], ...]:
    """Return events in builtin types, for run files."""
    return tuple(asdict(event) for event in events)


def read(events: Iterable[Mapping[str, Any]]) -> tuple[Event, ...]:
    """Return events from a run file; no event recorded means no guarantee."""
    return tuple(Event(**event) for event in events) or (NO_GUARANTEE,)


@dataclass(frozen=True)
class Composed:
    """What releases cost together; epsilon is infinite where they guarantee nothing."""

    epsilon: float
    accountant: str


def compose(events: Sequence[Event], delta: float, adjacency: Adjacency) -> Composed:
    """Return what events cost together, in whatever order.

    Args:
        events: releases of the same records.
        delta: delta of the whole; pure events alone need none.
        adjacency: which data count as neighbours.
    """
    require_accountable(1.0, delta)
    kinds = {event.kind for event in events}
    if "none" in kinds:
        return Composed(inf, "none")
    if not kinds:
        return Composed(0.0, "nothing released")
    if kinds == {"gaussian"}:
        return Composed(gaussian_epsilon(_as_one(events), delta, adjacency), "exact Gaussian")
    if kinds == {"pure"}:
        return Composed(sum(event.times * event.epsilon for event in events), "pure DP")
    added = [
        large for large in events if large.kind == "pure" and large.times * large.epsilon > LARGE
    ]
    if added:
        rest = compose([event for event in events if event not in added], delta, adjacency)
        more = sum(event.times * event.epsilon for event in added)
        return Composed(rest.epsilon + more, f"{rest.accountant}, pure DP")
    ordered = sorted(events)
    epsilon = on_fine_grid(
        lambda grid: _by_distributions(ordered, delta, adjacency, grid),
        GRID if len(events) <= MANY else COARSE_GRID,
    )
    # Distributions round each pure release up to their grid, which many of them may exceed.
    pure = [event for event in events if event.kind == "pure"]
    if pure:
        rest = compose([event for event in events if event.kind != "pure"], delta, adjacency)
        simple = rest.epsilon + sum(event.times * event.epsilon for event in pure)
        if simple < epsilon:
            return Composed(simple, f"{rest.accountant}, pure DP")
    return Composed(epsilon, "PLD")


def factor_to_epsilon(shape: Sequence[float], rate: float, epsilon: float, delta: float) -> float:
    """Return the factor at which rounds with noise of this shape just meet epsilon.

    Args:
        shape: noise multiplier of each round, up to the factor.
        rate: probability with which a record takes part in a round.
        epsilon: over all rounds, records added or removed.
        delta: over all rounds.
    """
    from scipy.optimize import brentq

    def excess(factor: float) -> float:
        events = [rounds(factor * multiplier, rate, 1) for multiplier in shape]
        reached = compose(events, delta, "add-remove").epsilon
        return 0.5 - epsilon / (reached + epsilon)

    low = high = 1.0
    while excess(high) > 0:
        low, high = high, 2 * high
    while excess(low) <= 0:
        low, high = low / 2, low
    # The root is off by up to its tolerance on either side; twice that more noise is enough.
    return float(brentq(excess, low, high, rtol=1e-3)) * (1 + 2e-3)


def _as_one(events: Iterable[Event]) -> float:
    """Return the noise multiplier of the one Gaussian release that several are."""
    return 1 / sqrt(sum(event.times / event.multiplier**2 for event in events))


def _by_distributions(
    events: Sequence[Event], delta: float, adjacency: Adjacency, grid: float
) -> float:
    """Return what events cost together, losses rounded to a grid."""
    from dp_accounting.pld import common, privacy_loss_distribution

    distributions = []
    plain = [event for event in events if event.kind == "gaussian"]
    if plain:
        deviation = _as_one(plain) / SENSITIVITY[adjacency]
        distributions.append(
            privacy_loss_distribution.from_gaussian_mechanism(
                deviation, value_discretization_interval=grid
            )
        )
    for event in events:
        if event.kind == "pure":
            parameters = common.DifferentialPrivacyParameters(event.epsilon, 0.0)
            distribution = privacy_loss_distribution.from_privacy_parameters(
                parameters, value_discretization_interval=grid
            )
            distributions.append(distribution.self_compose(event.times))
        elif event.kind == "sampled":
            distribution = privacy_loss_distribution.from_gaussian_mechanism(
                event.multiplier,
                value_discretization_interval=grid,
                sampling_prob=event.rate,
                neighboring_relation=relation_of(adjacency),
            )
            distributions.append(distribution.self_compose(event.times))
    whole = distributions[0]
    for distribution in distributions[1:]:
        whole = whole.compose(distribution)
    return float(whole.get_epsilon_for_delta(delta))
