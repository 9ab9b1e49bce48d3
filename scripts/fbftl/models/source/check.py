"""What can be said of a source model's files before any job: that they are there and are those.

Light: the plan of a study asks, so nothing here imports torch.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fbftl.data import datasets
from fbftl.ground.errors import UserError
from fbftl.ground.files import check_digest, sha256
from fbftl.ground.hub import pinned, require_repository_name, require_unchanged
from fbftl.models.source.files import PROCESSOR, packaged_file, read_config, tensor_shapes

NEEDED = {
    ("torchvision", "published"): ("name", "version"),
    ("torchvision", "file"): ("name", "file"),
    ("torchvision", "random"): ("name",),
    ("timm", "published"): ("name",),
    ("timm", "file"): ("name", "file"),
    ("timm", "random"): ("name",),
    ("timm", "package"): ("name", "package"),
    ("transformers", "published"): ("name",),
    ("transformers", "random"): ("name",),
    ("workflow", "file"): ("file", "manifest"),
}
"""Keys that a block of `kind: load` must set, by its `from` and `weights`."""


def check(
    source: Mapping[str, Any],
    data_folder: str | Path | None,
    digest_of: Callable[[str | Path], str] = sha256,
) -> None:
    """Check a config block `source`: its keys, the files it names and their digests.

    Args:
        source: the block.
        data_folder: where relative names of its data start.
        digest_of: gives a file's SHA-256.

    Raises:
        UserError: one sentence that names the key or file and what to do.
    """
    data = _data(source)
    if data is not None:
        datasets.check(data, data_folder)
    if source["kind"] != "load":
        return
    library, weights = source["from"], source["weights"]
    if (library, weights) not in NEEDED:
        offered = " or ".join(w for supported, w in NEEDED if supported == library)
        raise UserError(
            f"source.weights is '{weights}' with source.from '{library}'; choose {offered}"
        )
    for key in NEEDED[library, weights]:
        if source[key] is None:
            raise UserError(
                f"source.{key} is not set; a source from {library} with {weights} weights needs it"
            )
    if weights == "package":
        packaged_file(source)
        return
    if source["manifest"] is not None and not Path(source["manifest"]).is_file():
        raise UserError(
            f"source.manifest: {source['manifest']} is missing; name the .json that was saved "
            "with the weights"
        )
    if source["file"] is not None:
        check_digest(source["file"], source["sha256"], digest_of)
        tensor_shapes(source["file"])
    if (source["options"] or {}).get("checkpoint_path"):
        raise UserError(
            "source.options.checkpoint_path is set, which timm may unpickle; name the weights as "
            "source.file, with weights: file"
        )
    # To import torch takes seconds, and only a study of published weights pays for them.
    match library, weights:
        case "torchvision", "published":
            from fbftl.models.source.known_weights import torchvision_weights

            torchvision_weights(source["name"], source["version"])
        case "timm", "published":
            from fbftl.models.source.known_weights import timm_repository

            timm_repository(source["name"])
        case "transformers", _ if not Path(source["name"]).is_dir():
            require_repository_name(source["name"])
    for path in _in_folder(source):
        if not path.is_file():
            raise UserError(
                f"folder source.name = {source['name']} has no file {path.name}; put it there"
            )
        if path.name in ("config.json", PROCESSOR):
            read_config(path)


def require_one_kind(where: str, block: Mapping[str, Any]) -> None:
    """Refuse vectors for a network that takes images, the other way round, and views of vectors.

    Args:
        where: the task's place in the configuration.
        block: its block.

    Raises:
        UserError: naming keys and remedy.
    """
    kind = block["data"]["kind"]
    vectors = kind in datasets.VECTORS
    if vectors != (block["source"]["kind"] == "vectors"):
        remedy = "kind: vectors, for they need no source model" if vectors else "another kind"
        raise UserError(
            f"{where}: data of kind {kind} and source of kind {block['source']['kind']} do not go "
            f"together; give source {remedy}"
        )
    of_images = {
        "clients.domains": block["clients"]["domains"],
        **{f"features.{key}": block["features"][key] for key in ("size", "mean", "std")},
    }
    for key, value in of_images.items():
        if vectors and value is not None:
            raise UserError(
                f"{where}.{key} is for images, and data of kind {kind} has none; leave it out"
            )


def files(source: Mapping[str, Any], data_folder: str | Path | None) -> list[str]:
    """Return the files and folders that the block names, for the workflow to watch."""
    if source["kind"] == "load" and "folder" in source:
        folder = Path(data_folder or ".", source["folder"])
        if source.get("hub") or not folder.is_dir():
            return []  # `require_pinned` holds files of a hub to their digests, which are params
        return sorted(str(path) for path in folder.iterdir() if path.is_file())
    if source["kind"] == "load" and source["weights"] == "package":
        return []  # pinned by its digest, wherever it is installed
    if source["kind"] == "load":
        named = [source[key] for key in ("file", "manifest") if source[key] is not None]
        return [*named, *map(str, _in_folder(source))]
    data = _data(source)
    return [] if data is None else datasets.files(data, data_folder)


def image(source: Mapping[str, Any], data_folder: str | Path | None) -> tuple[int, int, int] | None:
    """Return the height, width and channels that a pre-trained source is made for, or None."""
    if source["kind"] != "pretrain":
        return None
    data = _data(source)
    return (None if data is None else datasets.image(data, data_folder)) or tuple(source["image"])


def modules(source: Mapping[str, Any]) -> list[str]:
    """Return the modules that are imported by name for this block."""
    data = _data(source)
    return [] if data is None else [datasets.module(data)]


def _in_folder(source: Mapping[str, Any]) -> list[Path]:
    """Return the files of a transformers model that lies in a folder, none for one on the hub."""
    if source["from"] != "transformers" or not Path(source["name"]).is_dir():
        return []
    folder = Path(source["name"])
    weights = ["model.safetensors"] if source["weights"] == "published" else []
    processor = [PROCESSOR] if (folder / PROCESSOR).is_file() else []
    return [folder / name for name in ("config.json", *weights, *processor)]


def require_pinned(
    source: Mapping[str, Any],
    data_folder: str | Path | None,
    digest_of: Callable[[str | Path], str] = sha256,
) -> None:
    """Compare the files of a block `hub` that are there with the digests that it pins.

    Raises:
        UserError: naming the first file that differs.
    """
    if hub := source.get("hub"):
        require_unchanged(pinned(hub), Path(data_folder or ".", source["folder"]), digest_of)


def _data(source: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the data set that the source model is pre-trained on, if the block names one."""
    on_data = source["kind"] == "pretrain" and source.get("task", "letters") != "letters"
    return source["task"]["data"] if on_data else None
