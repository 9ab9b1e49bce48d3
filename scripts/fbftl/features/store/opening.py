"""Opening a finished store by the manifest that vouches for its files."""

from pathlib import Path

from fbftl.features.store.format import VERSION, sha256_of
from fbftl.features.store.location import AGAIN, open_group
from fbftl.features.store.manifest import place_of, read_manifest
from fbftl.features.store.reader import FeatureStore
from fbftl.ground.errors import UserError


def open_store(manifest: str | Path) -> FeatureStore:
    """Open a finished feature store for reading; every file that is read has its own digest.

    Args:
        manifest: path of the store's manifest, which knows where the store is.

    Raises:
        UserError: if there is no finished store, or its metadata is not what the manifest says.
    """
    known = read_manifest(Path(manifest))
    if known.store["version"] != VERSION:
        raise UserError(
            f"Feature store {manifest} has format {known.store['version']}, this code reads "
            f"{VERSION}: extract the features again."
        )
    where = place_of(Path(manifest), known)
    for key in known.metadata:
        try:
            intact = sha256_of(where.read(key)) == known.files[key]
        except FileNotFoundError:
            if key == "zarr.json":
                raise UserError(
                    f"There is no finished feature store at {where.name}: extract the features "
                    f"first, or remove {manifest} to open published ones anew."
                ) from None
            intact = False
        if not intact:
            array = key.removesuffix("zarr.json").rstrip("/") or "the store"
            raise UserError(
                f"The metadata of {array} in feature store {where.name} is not what its manifest "
                f"says: {AGAIN}."
            )
    return FeatureStore(open_group(where, known.files), known.store, where.name)
