"""The manifest: a small local file that vouches for every byte of a finished store.

It holds the store's document (provenance, counts, and per array shape, dtype and the SHA-256 of the
decoded values), the SHA-256 of every file, and a digest of itself. `damage` compares file by file.
"""

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fbftl.features.store.format import is_sealed, sealed, sha256_of
from fbftl.features.store.location import AGAIN, AT_ONCE, Location, is_url, location
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_json


@dataclass(frozen=True)
class Manifest:
    """What a finished store must be.

    location: a URL, or the store folder's path from the manifest's folder.
    store: the store's document, as in the attributes of its root group.
    files: SHA-256 of every file of the store, by key.
    """

    location: str
    store: Mapping[str, Any]
    files: Mapping[str, str]

    @property
    def metadata(self) -> list[str]:
        """Keys of the files that hold no chunk, the store's own before those of its arrays."""
        return sorted((key for key in self.files if "/c/" not in key), key=len)

    def document(self) -> dict[str, Any]:
        """Return the fields as JSON-ready builtins."""
        return {"location": self.location, "store": self.store, "files": self.files}

    def write(self, path: Path) -> None:
        """Write the manifest, atomically."""
        write_json(path, sealed(self.document()))


def read_manifest(path: Path) -> Manifest:
    """Read a manifest.

    Raises:
        UserError: if it is missing, is no manifest, or is damaged.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if is_sealed(document):
            return Manifest(document["location"], document["store"], document["files"])
    except FileNotFoundError:
        raise UserError(f"Manifest {path} is missing: {AGAIN}.") from None
    except (ValueError, AttributeError, KeyError):
        pass
    raise UserError(f"Manifest {path} is damaged: {AGAIN}.")


def place_of(path: Path, manifest: Manifest) -> Location:
    """Return where the store is that a manifest vouches for, by the path of the manifest."""
    store = manifest.location
    # Manifests are linked to where people look for them.
    return location(store if is_url(store) else path.resolve().parent / store)


def damage(manifest: str | Path) -> Iterator[tuple[str, str]]:
    """Yield every file that is not what it was when the store was finished, and how it differs.

    A file is named by its key, e.g. `train/features/c/3/0`; it is missing, damaged or unexpected.

    Args:
        manifest: path of the store's manifest.

    Raises:
        UserError: if the manifest itself is missing or damaged.
    """
    known = read_manifest(Path(manifest))
    store = place_of(Path(manifest), known)

    def fault(key: str) -> str | None:
        try:
            return None if sha256_of(store.read(key)) == known.files[key] else "damaged"
        except FileNotFoundError:
            return "missing"

    promised = sorted(known.files)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = zip(promised, pool.map(fault, promised), strict=True)
        yield from ((key, how) for key, how in found if how is not None)
    for key in sorted(store.keys() - known.files.keys()):
        yield key, "unexpected"
