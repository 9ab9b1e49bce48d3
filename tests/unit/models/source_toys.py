"""Blocks of sources that are loaded."""

from typing import Any


def source_block(**keys: Any) -> dict[str, Any]:
    """Return what a configuration says of a source that is loaded, some of its keys set."""
    unset = dict.fromkeys(("name", "package", "version", "file", "manifest", "sha256"))
    usual = {"kind": "load", "from": "torchvision", "weights": "file", "options": {}, "seed": 0}
    return usual | unset | keys
