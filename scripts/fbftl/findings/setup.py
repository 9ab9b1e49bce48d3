"""A task's setup as the plan knows it: what decides whether its results compare with a paper's.

Keys: `task` (the data set), `backbone`, `size` (image side in pixels, empty for text), `data` (all
or a part) and `encoding` (original, or how files hold the images).
"""

from collections.abc import Mapping
from typing import Any

RESTRICTIONS = ("portion", "classes", "limit")
"""Keys of a data block that leave samples out."""

AS_DISTRIBUTED = ("digits", "idx", "torchvision", "dialogues", "jsonl", "groups", "table")
"""Kinds of data whose files hold what the data set's authors gave out."""


def setup_of(block: Mapping[str, Any]) -> dict[str, str]:
    """Return the setup of a task.

    Args:
        block: the task's block of the configuration.
    """
    data = block["data"]
    original = data["kind"] in AS_DISTRIBUTED
    left_out = any(data.get(key) for key in RESTRICTIONS) or bool(data.get("source"))
    return {
        "task": (block["dataset"] or data.get("name") or data["kind"]).lower(),
        "backbone": _backbone(block["source"]),
        "size": _size(block),
        "data": "a part" if left_out else "all",
        "encoding": block["encoding"] or ("original" if original else "unknown"),
    }


def _backbone(source: Mapping[str, Any]) -> str:
    """Return the published network whose published weights are loaded, or how one was made."""
    if source["kind"] == "pretrain":
        return "pre-trained here"
    if source["kind"] == "vectors":
        return "none"
    weights = source.get("weights", "published")
    name = source.get("name") or source.get("folder") or source["from"]
    return name if weights == "published" else f"{name} with weights {weights}"


def _size(block: Mapping[str, Any]) -> str:
    """Return the side in pixels of the images that the network sees; text has none."""
    size = (
        block["features"].get("size")
        or block["data"].get("size")
        or next(iter(block["source"].get("image", [])), None)
    )
    return "" if size is None else str(size)
