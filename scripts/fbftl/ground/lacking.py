"""What a study still has to fetch: every address and place, told before any job.

With a network the jobs fetch it themselves; without one somebody has to, and not file by file.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Lacking:
    """Something that is not here yet.

    address: where it is to be had, a URL or a command.
    place: where it belongs.
    """

    address: str
    place: str


def lacking_file(address: str, place: Path) -> list[Lacking]:
    """Return the file as lacking if there is none in its place."""
    return [] if place.is_file() else [Lacking(address, str(place))]


def listed(found: Iterable[Lacking]) -> str:
    """Return one list of all that is lacking, each once, or nothing."""
    lines = dict.fromkeys(f"  {each.address}\n    to {each.place}" for each in found)
    if not lines:
        return ""
    return "\n".join(
        ["Not here yet; jobs fetch it where there is a network, otherwise put", *lines]
    )
