"""How runs of the store were computed, from the notes that their documents hold."""

import json
from collections.abc import Iterable
from typing import Any

from fbftl.ground.artefacts import Store

RUNS = "runs"
"""Folder of the store."""


def notes_on_runs(keys: Iterable[str], store: Store) -> list[dict[str, Any]]:
    """Return how each of some runs was computed, see `fbftl.ground.provenance.record`.

    Raises:
        UserError: if a run is not there any more, or damaged.
    """
    return [store.json(RUNS, key)["made"] for key in keys]


def commits(notes: Iterable[dict[str, Any]]) -> set[str]:
    """Return the commits that runs were made at, where noted."""
    return {noted["commit"] for noted in notes if noted.get("commit")}


def distinct(described: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each way to compute once, in the order of their text."""
    texts = {json.dumps(each, sort_keys=True) for each in described}
    return [json.loads(text) for text in sorted(texts)]
