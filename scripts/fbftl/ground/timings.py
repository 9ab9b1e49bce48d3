"""What units of runs took: every batch leaves it in a side file of the store, for later plans."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from fbftl.ground.artefacts import Store, canonical, key_of
from fbftl.ground.files import UNREADABLE, parsed

FOLDER = "durations"
"""Of the store."""


def entry(unit: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Return what is kept of a unit that was trained, as its note describes it."""
    runs = len(unit["settings"]) * len(unit["seeds"])
    names = [of_job(each["job"]) for each in unit["settings"]]
    method = unit["settings"][0]["job"]["setting"].get("method", "fbftl")
    return {"of": names, "runs": runs, "method": method, "work": unit["work"], "seconds": seconds}


def of_job(job: Mapping[str, Any]) -> str:
    """Return what a setting is known by, whatever its seeds and its task."""
    return key_of(canonical(job))


def read(store: Store) -> list[dict[str, Any]]:
    """Return all that is known; a file that cannot be read is none."""
    known = []
    for key in sorted(store.keys(FOLDER, ".json")):
        with suppress(OSError, *UNREADABLE):
            known += parsed(store.path(FOLDER, key, ".json").read_bytes())["units"]
    return known
