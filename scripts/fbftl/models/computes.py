"""How extractors compute: what `features.compute` may say."""

from collections.abc import Mapping
from typing import Any

FLOAT32, BFLOAT16 = "float32", "bfloat16"
"""Plain float32, operator by operator; float32 weights with products in bfloat16."""


def computed_otherwise(tasks: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return what of a study does not compute in plain float32, in words; None if all does.

    Args:
        tasks: blocks of the tasks that are extracted, by name.
    """
    for task, block in tasks.items():
        if (kind := block["features"]["compute"]) != FLOAT32:
            return f"tasks.{task}.features.compute is {kind}"
    return None
