"""Features from elsewhere as the data of a task: what their manifest says, and what a task takes.

A task with `data: {kind: features}` trains on features that somebody published. Its extractor, its
cut and its clients are theirs, so its blocks `source`, `features` and `clients` are those of the
manifest; what trains on the features is the task's own. Nothing is extracted and no source model is
at hand (docs/feature-store-format.md).
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.files import parsed
from fbftl.ground.places import is_url, is_zip, read_file
from fbftl.study.computes import FLOAT32

KIND = "features"
"""Kind of data of such a task."""

MANIFEST = "manifest.json"
"""File of a publication that vouches for all others."""

FORMAT, VERSION = "fbftl-features", 1
"""What the manifest says it is, and the version that this code writes and reads."""

TAKEN = ("source", "features", "clients")
"""Blocks of a task that the manifest gives."""

PARTS = ("blocks", "counts", "clients", "attributes", "network", "classes")
"""What a manifest says of features and jobs read, beside its format."""

KEPT = "results/{task}/published.json"
"""Where a task keeps the manifest, so that its later calls ask no server for it."""


def is_from_elsewhere(block: Mapping[str, Any]) -> bool:
    """Return whether the data of a task are features that somebody published."""
    return isinstance(block.get("data"), Mapping) and block["data"].get("kind") == KIND


def place_of(store: str, data_folder: str | None) -> str:
    """Return where published features lie: the URL, or the path below the data folder.

    Raises:
        UserError: if a relative path has no folder to start from, or a zip is remote.
    """
    if is_url(store):
        if is_zip(store):
            raise UserError(
                f"data.store names the zip {store}, of which nothing could be read piece by "
                "piece; download it, or publish a folder there"
            )
        return store.rstrip("/")
    if data_folder is None and not os.path.isabs(store):
        raise UserError(
            f"data.store names {store}, but data_folder is not set; set it to the folder that "
            "holds it"
        )
    return str(Path(data_folder or "", store))


def parse_manifest(content: bytes, place: str) -> dict[str, Any]:
    """Return a publication's manifest from its bytes, refused if it is not one of this version.

    Raises:
        UserError: naming place, fault and remedy.
    """
    try:
        document = parsed(content)
        kind = document["about"]["format"]
        version = document["about"]["version"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(
            f"{place}: {MANIFEST} is no manifest of published features ({error}); name a folder, "
            "zip or URL that `./run publish` has made"
        ) from error
    if kind != FORMAT:
        raise UserError(f"{place}: {MANIFEST} says it is {kind!r:.60}, not {FORMAT}; name another")
    if version != VERSION or type(version) is not int:
        raise UserError(
            f"{place}: {MANIFEST} has format version {version!r:.20}, this code reads {VERSION}; "
            "take a version of the project that reads it"
        )
    if document.get("digest") != digest_of(document):
        raise UserError(f"{place}: {MANIFEST} is not what its own digest says; get it anew")
    return document


def _require_parts(about: Mapping[str, Any], task: str) -> None:
    """Refuse features whose manifest lacks what jobs read of it."""
    blocks = about.get("blocks")
    given = {key for key in TAKEN if isinstance(blocks, Mapping) and key in blocks}
    if missing := [*sorted(set(PARTS) - about.keys()), *sorted(set(TAKEN) - given)]:
        raise UserError(
            f"config: tasks.{task}.data.store has a manifest without {missing[0]}, from which no "
            "task can be made; get the features anew"
        )


def digest_of(manifest: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a manifest without its own digest, which stands for all of it."""
    content = {key: value for key, value in manifest.items() if key != "digest"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@cache
def manifest_at(place: str, digest: str, kept: str | None = None) -> dict[str, Any]:
    """Return the manifest of published features, if it is the one that is asked for.

    Args:
        place: folder, zip or URL.
        digest: of the manifest, as the configuration gives it.
        kept: local copy of the manifest of a URL; it counts only if it has that digest.

    Raises:
        UserError: if there is none, if it is damaged, or if it is another one.
    """
    if kept is not None and is_url(place) and Path(kept).exists():
        document = json.loads(Path(kept).read_bytes())
        if document.get("digest") == digest == digest_of(document):
            return document
    try:
        document = parse_manifest(read_file(place, MANIFEST), place)
    except FileNotFoundError:
        raise UserError(
            f"{place} holds no published features: there is no {MANIFEST}; name a folder, zip or "
            "URL that `./run publish` has finished"
        ) from None
    if document["digest"] != digest:
        raise UserError(
            f"the features at {place} have the digest {document['digest']}, and data.digest is "
            f"{digest}; get those that were meant, or take the digest over if these are"
        )
    return document


def of_task(task: str, block: Mapping[str, Any], data_folder: str | None) -> dict[str, Any]:
    """Return the manifest of a task's published features, its digest compared.

    Raises:
        UserError: as `manifest_at`, naming the task.
    """
    data = block["data"]
    try:
        place = place_of(data["store"], data_folder)
        return manifest_at(place, data["digest"], KEPT.format(task=task))
    except UserError as error:
        raise UserError(f"config: tasks.{task}: {error}") from error


def with_published(tasks: Mapping[str, Any], data_folder: str | None) -> dict[str, Any]:
    """Return tasks with what manifests say of those whose data are published features.

    Args:
        tasks: the configuration's block, likes written out; left unchanged.
        data_folder: where relative names start.

    Raises:
        UserError: as `of_task`, or where a task says otherwise than the manifest.
    """
    return {name: _filled(name, block, data_folder) for name, block in tasks.items()}


def _filled(task: str, block: Any, data_folder: str | None) -> Any:
    if not isinstance(block, Mapping) or not is_from_elsewhere(block):
        return block
    store, digest = (block["data"].get(key) for key in ("store", "digest"))
    if not isinstance(store, str) or not re.fullmatch("[0-9a-f]{64}", str(digest)):
        # The schema, which says what is wrong, is asked after this.
        return {**{key: {} for key in TAKEN}, **block}
    about = of_task(task, block, data_folder)["about"]
    _require_parts(about, task)
    if block.get("source_seeds", 1) != 1:
        raise UserError(
            f"config: tasks.{task}.source_seeds asks for further source networks, of which "
            "published features have one; leave it out"
        )
    taken = {key: about["blocks"][key] for key in TAKEN}
    # Publications from before there was a choice do not name it.
    taken["features"] = {"compute": FLOAT32, **taken["features"]}
    for key in TAKEN:
        _require_same(f"config: tasks.{task}.{key}", block.get(key, {}), taken[key])
    named = {key: about[key] for key in ("dataset", "encoding") if about.get(key)}
    return {**named, **block, **taken}


def _require_same(where: str, given: Any, published: Any) -> None:
    """Refuse what a task says of its features where these were made otherwise."""
    if isinstance(given, Mapping) and isinstance(published, Mapping):
        for key, value in given.items():
            _require_same(f"{where}.{key}", value, published.get(key))
    elif given != published:
        raise UserError(
            f"{where} is {given!r:.60}, but the published features were made with "
            f"{published!r:.60}; leave it out"
        )
