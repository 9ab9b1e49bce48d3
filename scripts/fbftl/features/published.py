"""A finished feature store for others: its files in a folder, and what they are as Croissant."""

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fbftl.features.store.format import sha256_of
from fbftl.features.store.manifest import AGAIN, Manifest, place_of, read_manifest
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_json, writing

ROOT = "zarr.json"
"""File of a store that has the SHA-256 of every array, so that its own vouches for all of them."""

CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{term: f"http://mlcommons.org/croissant/{term}" for term in ("citeAs", "includes")},
    "conformsTo": "http://purl.org/dc/terms/conformsTo",
    "cr": "http://mlcommons.org/croissant/",
}
"""The terms of Croissant that a description uses."""


def publish(manifest: Path, target: Path, licence: str, publisher: str) -> str:
    """Copy a finished store, with `croissant.json`; return the SHA-256 of its `zarr.json`.

    Args:
        manifest: of the store.
        target: folder that is not there yet.
        licence: of the features, as an SPDX identifier or an address.
        publisher: who publishes them.

    Raises:
        UserError: if the store is unfinished, damaged or of dialogues, or the target is there.
    """
    known = read_manifest(manifest)
    if any(name.endswith("/offsets") for name in known.store["arrays"]):
        raise UserError(
            f"{manifest} is of dialogues, whose texts are in it; publish other features"
        )
    if os.path.lexists(target):
        raise UserError(f"{target} is there already; name a new folder, or remove it")
    source = place_of(manifest, known)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    with writing(target):
        try:
            for key, digest in known.files.items():
                content = source.read(key)
                if sha256_of(content) != digest:
                    raise UserError(f"{source.name}: {key} is damaged; {AGAIN}")
                (unfinished / key).parent.mkdir(parents=True, exist_ok=True)
                (unfinished / key).write_bytes(content)
            described = croissant(known, target.name, licence, publisher)
            write_json(unfinished / "croissant.json", described)
            os.rename(unfinished, target)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return known.files[ROOT]


def croissant(known: Manifest, name: str, licence: str, publisher: str) -> dict[str, Any]:
    """Return the metadata of a store, by Croissant 1.1."""
    store, digest = known.store, known.files[ROOT]
    rows = " and ".join(f"{count} {split}" for split, count in store["counts"].items())
    vectors = f"{store['width']} numbers each at the layer {store['cut']} of a frozen network"
    return {
        "@context": CONTEXT,
        "@type": "Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": name,
        "description": f"Features of {rows} samples, {vectors}, with class and client (Zarr v3).",
        "license": licence,
        "creator": {"@type": "Organization", "name": publisher},
        "url": name,
        "version": "1.0.0",
        "datePublished": datetime.now(UTC).date().isoformat(),
        "citeAs": f"{publisher}: {name}, {ROOT} of SHA-256 {digest}",
        "distribution": [
            {"@type": "cr:FileObject", "@id": ROOT, "contentUrl": ROOT, "sha256": digest,
             "encodingFormat": "application/json"},
            {"@type": "cr:FileSet", "@id": "arrays", "includes": ["train/**", "test/**"],
             "encodingFormat": "application/vnd.zarr"},
        ],
    }  # fmt: skip
