"""What can be said of a task's summariser before any job: how many parameters its clients train."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from fbftl.models.cost.architectures import T5Shape, t5
from fbftl.models.cost.layers import parameters


def shape_of(source: Mapping[str, Any], folder: str | Path | None) -> T5Shape | None:
    """Return what a source model is made of; None of one whose config.json is not at hand.

    Args:
        source: config block `source` of the task.
        folder: where relative names of folders start.
    """
    if source["kind"] == "pretrain":
        return T5Shape(vocab_size=source["vocabulary"], **source["model"])
    names = {field.name for field in fields(T5Shape)}
    try:
        config = json.loads(Path(folder or "", source["folder"], "config.json").read_bytes())
        return T5Shape(**{name: value for name, value in config.items() if name in names})
    except (OSError, ValueError, TypeError, AttributeError):  # a job says what is wrong with it
        return None


def heads(shape: T5Shape, cuts: Iterable[int]) -> dict[str, int]:
    """Return the parameters that each cut trains; a cut is a number of trained encoder blocks."""
    layers = t5(shape, trained_encoders=1).layers
    embedding = 1
    return {str(cut): parameters(layers[embedding + shape.num_layers - cut :]) for cut in cuts}


def whole(shape: T5Shape) -> int:
    """Return the parameters of all layers."""
    return parameters(t5(shape, trained_encoders=1).layers)
