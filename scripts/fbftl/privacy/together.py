"""What releases of the same rows cost together, per unit and neighbours, as a task groups them.

A run tells its releases in its guarantees (`mechanisms.PrivacyRecord`, in builtin types). A client
is all the rows that it holds: of a release per sample, each of them counts; of a sum of clipped
gradients, they move it as far as they are many. Settings whose release is one and the same, noise
and all, are counted once. What holds for a client that is replaced holds for
each of its rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.privacy.accounting import Adjacency
from fbftl.privacy.composition import NO_GUARANTEE, Composed, Event, compose, of_group, read

NEIGHBOURS: tuple[tuple[str, Adjacency], ...] = (
    ("sample", "replace-one"),
    ("sample", "add-remove"),
    ("client", "replace-one"),
    ("client", "add-remove"),
)
"""Units and neighbours that sums are told for."""

TOGETHER = "together"
"""Stands in the place of a release in the row of a sum."""

BUDGETED: Adjacency = "replace-one"
"""Neighbours of a budget: every mechanism has a guarantee for a unit that is replaced."""


@dataclass(frozen=True)
class Released:
    """One setting's releases.

    name: of the setting.
    guarantees: its mechanism's, in builtin types.
    samples: rows of a client in this setting; none where it does not matter who holds them.
    spelling: what stands for the release, the same for settings that draw the same noise; None
        stands for a release of its own.
    """

    name: str
    guarantees: Sequence[Mapping[str, Any]]
    samples: int | None = None
    spelling: str | None = None


@dataclass(frozen=True)
class Cost:
    """What one release, or several together, cost one unit.

    release: a setting's name, or `TOGETHER`.
    covers_labels: whether labels are protected too.
    """

    unit: str
    adjacency: Adjacency
    release: str
    composed: Composed
    covers_labels: bool


def costs(releases: Sequence[Released], delta: float, client_rows: int) -> list[Cost]:
    """Return what each release costs and what all of them cost together, by unit and neighbours.

    Args:
        releases: of the same rows.
        delta: delta of each, and of the sum.
        client_rows: rows of a client in the task's own partition.
    """
    clients_rows = {release.samples for release in releases if release.samples is not None}
    if len(clients_rows) < len({release.samples for release in releases}):
        clients_rows.add(client_rows)
    return [
        cost
        for unit, adjacency in NEIGHBOURS
        for cost in _of_unit(releases, delta, unit, adjacency, sum(clients_rows))
    ]


def _of_unit(
    releases: Sequence[Released], delta: float, unit: str, adjacency: Adjacency, rows: int
) -> Iterable[Cost]:
    everything: list[Event] = []
    covered, counted = True, set()
    for release in releases:
        events, labels = events_of(release.guarantees, unit, adjacency, rows)
        yield Cost(unit, adjacency, release.name, compose(events, delta, adjacency), labels)
        if release.spelling is not None and release.spelling in counted:
            continue
        counted.add(release.spelling)
        everything, covered = [*everything, *events], covered and labels
    yield Cost(unit, adjacency, TOGETHER, compose(everything, delta, adjacency), covered)


def events_of(
    guarantees: Sequence[Mapping[str, Any]], unit: str, adjacency: Adjacency, rows: int
) -> tuple[list[Event], bool]:
    """Return one setting's events for a unit and its neighbours, and whether labels are covered.

    Args:
        guarantees: its mechanism's.
        unit: sample or client.
        adjacency: the neighbours.
        rows: of a client.
    """
    labelled = [guarantee for guarantee in guarantees if guarantee["unit"] == "label"]
    others = [guarantee for guarantee in guarantees if guarantee["unit"] != "label"]
    events, covered = _apart_from_labels(others, unit, adjacency, rows)
    if labelled:
        response = [event for guarantee in labelled for event in read(guarantee["events"])]
        if adjacency != "replace-one":
            # Whether a label was sent at all is no secret of randomised response.
            response = [NO_GUARANTEE]
        elif unit == "client":
            response = list(of_group(response, rows))
        events, covered = [*events, *response], True
    return events, covered


def _apart_from_labels(
    guarantees: Sequence[Mapping[str, Any]], unit: str, adjacency: Adjacency, rows: int
) -> tuple[list[Event], bool]:
    def guarantee_of(wanted: str) -> Mapping[str, Any] | None:
        return next(
            (
                guarantee
                for guarantee in guarantees
                if (guarantee["unit"], guarantee["adjacency"]) == (wanted, adjacency)
                and guarantee["events"]
            ),
            None,
        )

    if (guarantee := guarantee_of(unit)) is not None:
        return list(read(guarantee["events"])), guarantee["covers_labels"]
    if (
        unit == "sample"
        and adjacency == "replace-one"
        and (guarantee := guarantee_of("client")) is not None
    ):
        return list(read(guarantee["events"])), guarantee["covers_labels"]
    if unit == "client" and (guarantee := guarantee_of("sample")) is not None:
        return list(of_group(read(guarantee["events"]), rows)), guarantee["covers_labels"]
    return [NO_GUARANTEE], False


def require_within(
    budget: Mapping[str, float], spent: Sequence[Cost], delta: float, task: str, name: str
) -> None:
    """Refuse releases that cost more together than a task's budget.

    Args:
        budget: epsilon by unit, for a unit replaced.
        spent: what the releases cost.
        delta: delta of the sums.
        task: the task's name.
        name: of the group of releases.

    Raises:
        UserError: with the unit, the sum and the budget.
    """
    for cost in spent:
        if (cost.release, cost.adjacency) != (TOGETHER, BUDGETED) or cost.unit not in budget:
            continue
        epsilon, most = cost.composed.epsilon, budget[cost.unit]
        if epsilon > most:
            sum_ = "nothing that is bounded" if isinf(epsilon) else f"epsilon {epsilon:.4g}"
            raise UserError(
                f"config: tasks.{task}.privacy.budget allows a {cost.unit} epsilon {most:g} at "
                f"delta {delta:g}, but the releases of privacy.together.{name} cost it {sum_} "
                f"by {cost.composed.accountant}; ask for less, or raise the budget"
            )
