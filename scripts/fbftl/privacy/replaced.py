"""What the guarantees of a run tell of one sample that is replaced by any other.

A run tells its releases in its guarantees (`mechanisms.PrivacyRecord`, in builtin types). What
holds for a client that is replaced holds for each of its samples. What goes out without protection
leaves none; where nothing goes out, nothing is added.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fbftl.privacy.composition import NO_GUARANTEE, Event, read
from fbftl.privacy.mechanisms import NOTHING_SENT

ADJACENCY = "replace-one"


def events_of_sample(guarantees: Sequence[Mapping[str, Any]]) -> tuple[list[Event], bool]:
    """Return the events of a replaced sample under one setting, and whether labels are covered.

    One part that is sent without a guarantee leaves none, whatever the others have.

    Args:
        guarantees: of the setting's mechanism.
    """
    labelled = [guarantee for guarantee in guarantees if guarantee["unit"] == "label"]
    others = [guarantee for guarantee in guarantees if guarantee["unit"] != "label"]
    events, covered = _apart_from_labels(others)
    response = [event for guarantee in labelled for event in read(guarantee["events"])]
    return [*events, *response], covered or bool(labelled)


def _apart_from_labels(guarantees: Sequence[Mapping[str, Any]]) -> tuple[list[Event], bool]:
    if any(of["accountant"] != NOTHING_SENT and not of["events"] for of in guarantees):
        return [NO_GUARANTEE], False
    if any(of["accountant"] == NOTHING_SENT for of in guarantees):
        return [], True
    for unit in ("sample", "client"):
        for guarantee in guarantees:
            if (guarantee["unit"], guarantee["adjacency"]) == (unit, ADJACENCY):
                return list(read(guarantee["events"])), guarantee["covers_labels"]
    return [NO_GUARANTEE], False
