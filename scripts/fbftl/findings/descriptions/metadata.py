"""Metadata of published features for tools: Croissant, and an RO-Crate."""

import json
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from fbftl.features.publication.write import json_bytes
from fbftl.features.store.format import sha256_of
from fbftl.findings.crate import TERMS
from fbftl.ground.errors import UserError
from fbftl.study.elsewhere import MANIFEST

VERSION = "http://mlcommons.org/croissant/1.1"
"""Of Croissant, that descriptions conform to."""

NO_LICENCE = "The publisher has named no licence."


def croissant_of(manifest: Mapping[str, Any], url: str, day: str) -> dict[str, Any]:
    """Return the features as Croissant describes data sets, validated by its own package.

    Args:
        manifest: finished, of the features.
        url: where they are, or are documented.
        day: of publication, as in 2026-01-31.

    Raises:
        UserError: without the package, or if it finds an error.
    """
    require_mlcroissant()
    mlcroissant: Any = import_module("mlcroissant")
    about, store = manifest["about"], manifest["store"]
    root = mlcroissant.FileObject(
        id="manifest",
        name="manifest",
        description="What vouches for every file.",
        content_url=MANIFEST,
        encoding_formats=["application/json"],
        sha256=sha256_of(json_bytes(manifest)),
    )
    metadata = mlcroissant.Metadata(
        ctx=mlcroissant.Context(conforms_to=VERSION),
        name=f"{about['task']}-features".replace(".", "-"),
        description=_description(about, store),
        version="1.0.0",
        license=[about["licence"] or NO_LICENCE],
        creators=[mlcroissant.Organization(name=about["publisher"])],
        url=url,
        cite_as=f"{about['task']}: features at {store['cut']}, digest {manifest['digest']}",
        date_published=day,
        distribution=[root],
        record_sets=[_splits(mlcroissant, about)],
    )
    document = metadata.to_json()
    errors = list(metadata.issues.errors)
    if errors:
        raise UserError(f"Croissant's package finds a fault: {' '.join(errors)[:300]}")
    return json.loads(json.dumps(document, default=str))


def require_mlcroissant() -> None:
    """Refuse to describe features for Croissant without its package."""
    if find_spec("mlcroissant") is None:
        raise UserError(
            "croissant.json needs the package mlcroissant, which is not installed; install "
            "envs/publication.txt"
        )


def _splits(package: Any, about: Mapping[str, Any]) -> Any:
    """Return the splits with their numbers, the one table that needs no reader of Zarr."""
    types = {"split": package.DataType.TEXT, "rows": package.DataType.INTEGER}
    fields = [
        package.Field(id=f"splits/{name}", name=name, description=name, data_types=[kind])
        for name, kind in types.items()
    ]
    data = [{"splits/split": split, "splits/rows": rows} for split, rows in about["counts"].items()]
    return package.RecordSet(
        id="splits", name="splits", description="Rows of each split.", fields=fields, data=data
    )


def _description(about: Mapping[str, Any], store: Mapping[str, Any]) -> str:
    return (
        f"Features of {about['task']} at the layer {store['cut']} of {about['backbone']['name']}, "
        f"{store['width']} numbers a row, with label, client and sample number; a Zarr v3 group."
    )


def crate_of(manifest: Mapping[str, Any], others: Mapping[str, bytes], day: str) -> dict[str, Any]:
    """Return the features as an RO-Crate 1.1: every file with its SHA-256.

    Args:
        manifest: finished, of the features.
        others: files beside the store's and the manifest, by name.
        day: of publication, as in 2026-01-31.
    """
    # Only who publishes needs the package.
    from rocrate.rocrate import ROCrate

    about, store = manifest["about"], manifest["store"]
    crate = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append(TERMS)
    crate.name = f"{about['task']}: features at {store['cut']}"
    crate.description = _description(about, store)
    crate.root_dataset["datePublished"] = day
    crate.root_dataset["license"] = about["licence"] or NO_LICENCE
    texts = {**others, MANIFEST: json_bytes(manifest)}
    digests = {**manifest["files"], **{name: sha256_of(text) for name, text in texts.items()}}
    for key in sorted(digests):
        crate.add_file(dest_path=key, properties={"name": key, "sha256": digests[key]})
    return crate.metadata.generate()
