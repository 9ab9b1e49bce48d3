"""What a manifest says of features beside their arrays: where they come from, in builtin types."""

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fbftl.cost.layers import read_network
from fbftl.data.clients import ClientFile
from fbftl.features.store.manifest import read_manifest
from fbftl.ground.errors import UserError
from fbftl.ground.files import digest_beside, read_json
from fbftl.study.computes import FLOAT32
from fbftl.study.elsewhere import FORMAT, VERSION


def about_of(task: str, block: Mapping[str, Any], results: Path) -> dict[str, Any]:
    """Return what can be said of a finished task's features.

    Args:
        task: the task's name.
        block: its block of the configuration.
        results: folder of its results.

    Raises:
        UserError: if they are not finished, or not those of this configuration.
    """
    store = read_manifest(_there(results / "features.json", task)).store
    source = read_json(_there(results / "source.json", task), "source model's manifest")
    clients = _there(results / "clients.h5", task)
    _require_these(task, block, results, store, source)
    with ClientFile(clients) as file:
        numbers = {split: len(file.client_ids(split)) for split in ("train", "test")}
        columns = file.examples("train").columns
        classes = file.classes() if "label" in columns else None
        image = list(file.image()) if "pixels" in columns else None
        named = {k: v for k, v in file.attributes.items() if k in ("classes", "domains")}
    network = read_network(_there(results / "network.json", task))
    features = {**block["features"], "store": None, "further_cuts": []}
    blocks = {"source": block["source"], "features": features, "clients": block["clients"]}
    return {
        "format": FORMAT,
        "version": VERSION,
        "task": task,
        "dataset": block["dataset"] or block["data"].get("name") or block["data"]["kind"],
        "encoding": block["encoding"],
        "counts": dict(store["counts"]),
        "clients": numbers,
        "classes": classes,
        "image": image,
        "attributes": named,
        "network": asdict(network),
        "backbone": {"name": _name(block["source"]), "digest": source.get("sha256")},
        "blocks": _without_paths(blocks),
    }


def _there(path: Path, task: str) -> Path:
    if not path.is_file():
        raise UserError(
            f"the features of {task} are not finished: {path} is missing; run the study first, and "
            "name its files with --configfile"
        )
    return path


def _require_these(
    task: str,
    block: Mapping[str, Any],
    results: Path,
    store: Mapping[str, Any],
    source: Mapping[str, Any],
) -> None:
    """Refuse features that another configuration made, or another source or client file."""
    compared = {
        "cut": (store["cut"], str(block["features"]["cut"])),
        "compute": (store.get("compute", FLOAT32), block["features"]["compute"]),
        "dtype": (store["dtype"], block["features"]["dtype"]),
        "source": (store["source"], source.get("sha256")),
        "data": (store["data"], _digest(results / "clients.h5")),
    }
    for field, (found, wanted) in compared.items():
        if str(found) != str(wanted):
            raise UserError(
                f"the features of {task} have {field} {found}, and this study has {wanted}; name "
                "the files of the study that made them with --configfile"
            )


def _digest(path: Path) -> str:
    return digest_beside(path).read_text(encoding="utf-8").split()[0]


def _name(source: Mapping[str, Any]) -> str:
    """Return what a source network is called."""
    if source["kind"] == "pretrain":
        network = source.get("network", source.get("model", {}))
        return f"{network.get('name', 'network')}, pre-trained on {source.get('task', 'own data')}"
    if source["kind"] == "vectors":
        return "none, vectors as they are"
    name = source.get("name") or source.get("folder")
    return f"{Path(str(name)).name} ({source.get('from', 'transformers')})"


def _without_paths(value: Any) -> Any:
    """Return a block in which files of this machine have their names alone."""
    if isinstance(value, Mapping):
        return {key: _without_paths(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_without_paths(part) for part in value]
    return Path(value).name if isinstance(value, str) and os.path.isabs(value) else value
