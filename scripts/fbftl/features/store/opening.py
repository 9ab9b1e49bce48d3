"""Opening a finished store: whole metadata, the promised arrays, the expected features."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import zarr

from fbftl.features.store.format import VERSION, is_sealed, sha256_of
from fbftl.features.store.location import Location, is_url, location
from fbftl.features.store.manifest import AGAIN, Manifest, read_manifest
from fbftl.features.store.reader import FeatureStore
from fbftl.ground.errors import UserError


def open_store(path_or_url: str | Path) -> FeatureStore:
    """Open a finished feature store for reading.

    Jobs open a store by its manifest: every file that is read is then compared with the SHA-256
    that the manifest gives. A store that is opened by its place has checksums only.

    Args:
        path_or_url: the store's folder, its URL, or the path of its manifest (``*.json``), which
            knows where the store is and what is in it.

    Raises:
        UserError: if there is no finished store, if its metadata is damaged, if it holds other
            arrays than its manifest says, naming both digests.
    """
    manifest = read_manifest(Path(path_or_url)) if str(path_or_url).endswith(".json") else None
    where = location(path_or_url) if manifest is None else _beside(Path(path_or_url), manifest)
    try:
        group = where.open_group(None if manifest is None else manifest.files)
        document = dict(group.attrs)
        intact = is_sealed(document)
    except FileNotFoundError:
        again = "" if manifest is None else f", or remove {path_or_url} to open published ones anew"
        raise UserError(
            f"There is no finished feature store at {where.name}: extract the features first"
            f"{again}."
        ) from None
    except (ValueError, KeyError, TypeError):
        intact = False
    if not intact:
        raise UserError(f"The metadata of feature store {where.name} is damaged: {AGAIN}.")
    if document["version"] != VERSION:
        raise UserError(
            f"Feature store {where.name} has format {document['version']}, this code reads "
            f"{VERSION}: extract the features again."
        )
    _require_promised_arrays(group, document, where.name)
    if manifest is not None:
        _require_same_arrays(document, manifest, where.name, path_or_url)
        _require_same_metadata(where, manifest)
    return FeatureStore(group, document, where.name)


def _beside(path: Path, manifest: Manifest) -> Location:
    """Return where the store is that a manifest vouches for."""
    store = manifest.location
    # Manifests are linked to where people look for them.
    return location(store if is_url(store) else path.resolve().parent / store)


def _require_same_arrays(
    document: Mapping[str, Any], manifest: Manifest, store: str, path: str | Path
) -> None:
    """Refuse a store that lies where another should be."""
    actual, promised = document["arrays"], manifest.store["arrays"]
    for name in sorted(actual.keys() | promised.keys()):
        digests = [arrays.get(name, {}).get("sha256") for arrays in (actual, promised)]
        if digests[0] != digests[1]:
            raise UserError(
                f"Feature store {store} is not the one that its manifest {path} was written for: "
                f"array {name} has sha256 {digests[0]} in the store and {digests[1]} in the "
                "manifest; put the store back, or remove both and extract the features again."
            )


def _require_same_metadata(where: Location, manifest: Manifest) -> None:
    """Refuse a store whose groups or arrays are described otherwise than when it was finished."""
    for name in manifest.store["arrays"]:
        if f"{name}/zarr.json" not in manifest.files:
            raise UserError(
                f"The manifest of feature store {where.name} vouches for no metadata of {name}: "
                f"{AGAIN}."
            )
    for key in manifest.files:
        if "/c/" not in key and sha256_of(where.read(key)) != manifest.files[key]:
            array = key.removesuffix("zarr.json").rstrip("/") or "the store"
            raise UserError(
                f"The metadata of {array} in feature store {where.name} is not what its manifest "
                f"says: {AGAIN}."
            )


def _require_promised_arrays(group: zarr.Group, document: Mapping[str, Any], store: str) -> None:
    """Refuse a store whose arrays have other shapes, chunks or dtypes than its document says."""
    for name, promised in document["arrays"].items():
        try:
            array = group[name]
            actual = {
                "shape": list(array.shape),
                "chunks": list(array.chunks),
                "dtype": array.dtype.name,
            }
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UserError(
                f"The metadata of array {name} in feature store {store} is missing or damaged: "
                f"{AGAIN}."
            ) from None
        for field, value in actual.items():
            if value != promised[field]:
                raise UserError(
                    f"Array {name} in feature store {store} has {field} {value}, but the store "
                    f"was finished with {promised[field]}: {AGAIN}."
                )
