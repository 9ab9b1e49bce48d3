"""What a study still has to fetch: every address and place, told before any job.

With a network the jobs fetch it themselves; without one somebody has to, and not file by file.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Missing:
    """Something that is not here yet.

    address: where it is to be had, a URL or a command.
    path: where it belongs.
    """

    address: str
    path: str


def missing_file(address: str, path: Path) -> list[Missing]:
    """Return the file as lacking if there is none in its place."""
    return [] if path.is_file() else [Missing(address, str(path))]


def listed(missing: Iterable[Missing]) -> str:
    """Return one list of all that is lacking, each once, or nothing."""
    lines = dict.fromkeys(f"  {each.address}\n    to {each.path}" for each in missing)
    if not lines:
        return ""
    return "\n".join(
        ["Not here yet; jobs fetch it where there is a network, otherwise put", *lines]
    )
