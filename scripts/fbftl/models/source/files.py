"""What files of a source model say of themselves, their weights left unread.

Light: the plan of a study asks, so nothing here imports torch.
"""

import json
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError

PICKLE_STARTS = (b"PK\x03\x04", b"\x80")
"""First bytes of torch's zip archives and of plain pickles."""

HEADER_START = b"{"
"""Of a safetensors file, behind eight bytes that say how long its header is."""

INDEX = "model.safetensors.index.json"
"""File that says which of several has a weight, where a model of transformers is large."""

PROCESSOR = "preprocessor_config.json"
"""File that says how images become the input of a model of transformers."""


def read_config(path: Path) -> dict[str, Any]:
    """Return what a model's `config.json` says.

    Raises:
        UserError: if it is no JSON object.
    """
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path} is no JSON ({error}); fetch it again") from error
    if not isinstance(config, dict):
        raise UserError(f"{path} holds no keys of a model; fetch it again")
    return config


def vision_config(path: Path) -> dict[str, Any]:
    """Return the config of a model of images; of one of images and texts that of its images' part.

    Raises:
        UserError: as `read_config`.
    """
    config = read_config(path)
    part = config.get("vision_config")
    return part if isinstance(part, dict) and "model_type" in part else config


def shards(index: Path) -> list[str]:
    """Return the names of the files into which a model's index divides its weights.

    Raises:
        UserError: if it is no such index.
    """
    named = read_config(index).get("weight_map")
    names = set(named.values()) if isinstance(named, dict) and named else {None}
    if not all(isinstance(name, str) and Path(name).name == name for name in names):
        raise UserError(f"{index} does not say in which files the weights are; fetch it again")
    return sorted(names)


def tensor_shapes(path: str | Path) -> dict[str, list[int]]:
    """Return the shapes of a safetensors file's tensors by their names, from its header.

    Raises:
        UserError: if it is a pickle or no valid safetensors file (the library checks every size in
            the header against the file's).
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            return {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        with open(path, "rb") as file:
            start = file.read(9)
        if start.startswith(PICKLE_STARTS) and start[8:] != HEADER_START:
            raise UserError(
                f"{path} is a pickle, which can run code when it is loaded; save the weights as "
                "safetensors (safetensors.torch.save_file) and name that file"
            ) from error
        raise UserError(f"{path} is no valid safetensors file ({error}); save it again") from error
