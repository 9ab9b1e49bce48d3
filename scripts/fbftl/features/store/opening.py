"""Opening a finished store: whole metadata, the promised arrays, the expected features."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import zarr

from fbftl.features.store.format import VERSION, is_sealed
from fbftl.features.store.location import Location, is_url, location
from fbftl.features.store.manifest import REPAIR, read_manifest
from fbftl.features.store.provenance import Provenance, require_same
from fbftl.features.store.reader import FeatureStore
from fbftl.ground.errors import UserError


def open_store(path_or_url: str | Path, expect: Provenance | None = None) -> FeatureStore:
    """Open a finished feature store for reading.

    Args:
        path_or_url: the store's folder, its URL, or the path of its manifest (``*.json``), which
            knows where the store is.
        expect: what the features must be; only the identity fields are compared.

    Raises:
        UserError: if there is no finished store, if its metadata is damaged, or if it holds other
            features than expected, naming the field that differs.
    """
    place = _located(path_or_url)
    try:
        group = place.open_group()
        document = dict(group.attrs)
        intact = is_sealed(document)
    except FileNotFoundError:
        raise UserError(
            f"There is no finished feature store at {place.name}: extract the features first."
        ) from None
    except (ValueError, KeyError, TypeError):
        intact = False
    if not intact:
        raise UserError(f"The metadata of feature store {place.name} is damaged: {REPAIR}.")
    if document["version"] != VERSION:
        raise UserError(
            f"Feature store {place.name} has format {document['version']}, this code reads "
            f"{VERSION}: extract the features again."
        )
    _require_promised_arrays(group, document, place.name)
    store = FeatureStore(group, document, place.name)
    if expect is not None:
        require_same(store.provenance, expect, place.name)
    return store


def _located(path_or_url: str | Path) -> Location:
    if str(path_or_url).endswith(".json"):
        return _manifest_location(Path(path_or_url))
    return location(path_or_url)


def _manifest_location(path: Path) -> Location:
    """Return the location of the store that a manifest vouches for."""
    place = read_manifest(path).location
    return location(place if is_url(place) else path.parent / place)


def _require_promised_arrays(group: zarr.Group, document: Mapping[str, Any], store: str) -> None:
    """Refuse a store whose arrays have other shapes, chunks or dtypes than its document says."""
    for name, promised in document["arrays"].items():
        try:
            array = group[name]
            found = {
                "shape": list(array.shape),
                "chunks": list(array.chunks),
                "dtype": array.dtype.name,
            }
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UserError(
                f"The metadata of array {name} in feature store {store} is missing or damaged: "
                f"{REPAIR}."
            ) from None
        for field, value in found.items():
            if value != promised[field]:
                raise UserError(
                    f"Array {name} in feature store {store} has {field} {value}, but the store "
                    f"was finished with {promised[field]}: {REPAIR}."
                )
