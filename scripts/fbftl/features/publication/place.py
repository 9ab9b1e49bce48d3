"""Opening published features: a folder, a zip or a URL, by the manifest that vouches for them."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fbftl.features.store.format import sha256_of
from fbftl.features.store.manifest import REPAIR, Manifest
from fbftl.features.store.opening import open_store
from fbftl.features.store.reader import FeatureStore
from fbftl.features.store.target import place_beside
from fbftl.ground.errors import UserError
from fbftl.ground.files import writing
from fbftl.ground.places import is_zip, stored

UNPACKED = "published.zarr"
"""Folder beside the local manifest to which the store in a zip is unpacked."""


def open_published(place: str, manifest: Mapping[str, Any], kept: Path) -> FeatureStore:
    """Open published features, and keep a local manifest by which jobs open them.

    Of a folder or URL nothing is copied; what a zip holds is unpacked beside the manifest.

    Args:
        place: folder, zip or URL.
        manifest: what lies there, its own digest compared.
        kept: where the local manifest goes.

    Raises:
        UserError: as `open_store`, or if a zip is damaged.
    """
    with writing(kept):
        kept.parent.mkdir(parents=True, exist_ok=True)
    store = _unpacked(place, manifest, kept.with_name(UNPACKED)) if is_zip(place) else place
    try:
        local = Manifest(place_beside(kept, store), manifest["store"], manifest["files"])
        local.write(kept)
        return open_store(kept)
    except (KeyError, TypeError, AttributeError, FileNotFoundError) as error:
        raise UserError(
            f"The features at {place} are not those that their manifest describes ({error!r:.100}):"
            " get them anew."
        ) from error
    except UserError as error:
        # Whoever opens features has nothing to repair them from.
        message = str(error).partition(f": {REPAIR}")[0].rstrip(".")
        raise UserError(f"{message}; get the published features at {place} anew.") from error


def _unpacked(place: str, manifest: Mapping[str, Any], folder: Path) -> str:
    """Unpack the store's files, and nothing else that a zip may hold, and return the folder.

    Each is compared with its digest before it is written.
    """
    try:
        with zipfile.ZipFile(place) as archive, writing(folder):
            for key in manifest["files"]:
                path = folder / key
                if ".." in Path(key).parts or Path(key).is_absolute():
                    raise UserError(
                        f"{place} names the file {key}, outside of its store; get it anew"
                    )
                content = stored(archive, key)
                if sha256_of(content) != manifest["files"][key]:
                    raise UserError(
                        f"{place}: {key} is not the file that the manifest vouches for; get the "
                        "published features anew"
                    )
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
    except FileNotFoundError as error:
        raise UserError(f"There are no published features at {place}.") from error
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise UserError(
            f"{place} is damaged ({error}): get the published features anew."
        ) from error
    return str(folder)
