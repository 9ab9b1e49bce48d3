"""Compose the guarantees of the settings that a task groups under `privacy.together`.

A run tells its releases in its guarantees (`mechanisms.PrivacyRecord`, in builtin types). A client
is all the rows that it holds: of a release per sample, each of them counts; of a sum of clipped
gradients, they move it as far as they are many. Settings whose release is one and the same, noise
and all, are counted once. What holds for a client that is replaced holds for each of its rows. What
goes out without protection beside a release leaves none to it; where nothing goes out, nothing is
added.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.privacy.accounting import Adjacency
from fbftl.privacy.composition import NO_GUARANTEE, Composed, Event, compose, of_group, read
from fbftl.privacy.mechanisms import NOTHING_SENT

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
    unprotected: what is sent of the same rows beside what the guarantees are for, which say nothing
        of it; None where they are for all that is sent.
    """

    name: str
    guarantees: Sequence[Mapping[str, Any]]
    samples: int | None = None
    spelling: str | None = None
    unprotected: str | None = None


@dataclass(frozen=True)
class Cost:
    """What one release, or several together, cost one unit.

    release: a setting's name, or `TOGETHER`.
    covers_labels: whether labels are protected too.
    note: why nothing bounds it; empty where something does.
    """

    unit: str
    adjacency: Adjacency
    release: str
    composed: Composed
    covers_labels: bool
    note: str


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
    covered, counted, unbounded = True, set(), []
    for release in releases:
        events, labels = events_of(release.guarantees, unit, adjacency, rows)
        if release.unprotected is not None:
            events = [*events, NO_GUARANTEE]
        note, covered = _why_unbounded(release, events), covered and labels
        yield Cost(unit, adjacency, release.name, compose(events, delta, adjacency), labels, note)
        if note:
            unbounded.append(release.name)
        if release.spelling is not None and release.spelling in counted:
            # The same noise on the same rows; what has none may be other rows.
            events = [event for event in events if event == NO_GUARANTEE]
        counted.add(release.spelling)
        everything = [*everything, *events]
    note = f"No guarantee: there is none for {', '.join(unbounded)}." if unbounded else ""
    yield Cost(unit, adjacency, TOGETHER, compose(everything, delta, adjacency), covered, note)


def _why_unbounded(release: Released, events: Sequence[Event]) -> str:
    """Return why a release's events leave no guarantee; nothing where they leave one."""
    if NO_GUARANTEE not in events:
        return ""
    if release.unprotected is not None:
        return f"No guarantee: {release.unprotected}."
    without = [guarantee["note"] for guarantee in release.guarantees if _is_open(guarantee)]
    return without[0] if without else "No guarantee for these neighbours."


def _is_open(guarantee: Mapping[str, Any]) -> bool:
    """Tell whether something is sent for which a guarantee records none."""
    return not guarantee["events"] and guarantee["accountant"] != NOTHING_SENT


def events_of(
    guarantees: Sequence[Mapping[str, Any]], unit: str, adjacency: Adjacency, rows: int
) -> tuple[list[Event], bool]:
    """Return one setting's events for a unit and its neighbours, and whether labels are covered.

    One part that is sent without a guarantee leaves none, whatever the others have.

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

    if any(map(_is_open, guarantees)):
        return [NO_GUARANTEE], False
    if any(guarantee["accountant"] == NOTHING_SENT for guarantee in guarantees):
        return [], True
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
        allowed = (
            f"config: tasks.{task}.privacy.budget allows a {cost.unit} epsilon {most:g} at "
            f"delta {delta:g}, but the releases of privacy.together.{name} cost it "
        )
        if cost.note:
            unbounded = [
                other.release
                for other in spent
                if (other.unit, other.adjacency) == (cost.unit, cost.adjacency)
                and other.release != TOGETHER
                and other.note
            ]
            raise UserError(
                f"{allowed}nothing that is bounded, for not all of {', '.join(unbounded)} has a "
                "guarantee; leave that out, or protect all that is sent"
            )
        if epsilon > most:
            sum_ = "nothing that is bounded" if isinf(epsilon) else f"epsilon {epsilon:.4g}"
            raise UserError(
                f"{allowed}{sum_} by {cost.composed.accountant}; ask for less, or raise the budget"
            )
