"""The manifest: a small local file that vouches for every byte of a finished store.

It holds the store's document (provenance, counts, and per array shape, dtype and the SHA-256 of the
decoded values), the SHA-256 of every file, and a digest of itself.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fbftl.features.store.format import is_sealed, sealed, sha256_of
from fbftl.features.store.location import Location
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_json

AGAIN = "remove its folder and it is extracted again"
"""What messages offer for a damaged store."""


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


def digests_of_files(store: Location) -> dict[str, str]:
    """Return the SHA-256 of every file of a store, by key."""
    return {key: sha256_of(store.read(key)) for key in sorted(store.keys())}
