"""How the runs of a folder were computed, from the notes that their jobs left beside them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fbftl.ground.files import read_json


def arithmetics(results: Path) -> dict[str, dict[str, Any]]:
    """Return how each run below a folder of results was computed, by the path of its notes there.

    See `fbftl.ground.exact.described`; runs of before it was noted are left out.
    """
    return {
        path: noted["arithmetic"]
        for path, noted in _notes_on_runs(results).items()
        if "arithmetic" in noted
    }


def commits(results: Path) -> set[str]:
    """Return the commits that the runs below a folder of results were made at, where noted."""
    return {noted["commit"] for noted in _notes_on_runs(results).values() if noted.get("commit")}


def _notes_on_runs(results: Path) -> dict[str, dict[str, Any]]:
    """Return the notes on each run below a folder of results, by their path there."""
    return {
        path.relative_to(results).as_posix(): read_json(path, "notes on a run")
        for path in sorted(results.glob("**/runs/*.meta.json"))
    }


def distinct(described: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each way to compute once, in the order of their text."""
    texts = {json.dumps(each, sort_keys=True) for each in described}
    return [json.loads(text) for text in sorted(texts)]
