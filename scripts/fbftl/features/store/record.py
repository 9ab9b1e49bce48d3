"""The record of a finished extraction: what was asked for, and the manifest of what came of it.

It lies beside the store under a name of its own, ``.features.finished.json``, and is no output of
any job. Whoever removes outputs before a job runs again, as workflow engines do, removes the
manifest and the root's metadata; the record says that all else is there, and both are written anew.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fbftl.features.store.format import is_sealed, metadata_files, sealed
from fbftl.features.store.location import location
from fbftl.features.store.manifest import Manifest
from fbftl.features.store.target import Target
from fbftl.features.store.verify import damaged_files
from fbftl.ground.files import write_json


def write_record(path: Path, header: Mapping[str, Any], manifest: Manifest) -> None:
    """Write a record.

    Args:
        path: where.
        header: what was asked for, JSON-ready: provenance, counts, batch, chunk size, code.
        manifest: what came of it.
    """
    write_json(path, sealed({"header": header, "manifest": manifest.document()}))


def finish_again(target: Target, header: Mapping[str, Any]) -> bool:
    """Complete a store that an earlier extraction has finished, and tell whether there is one.

    Every chunk is read and compared. Metadata and manifest are written if they are missing or
    damaged; files of others stay.

    Args:
        target: where the store must be.
        header: what is asked for; another extraction's store is not touched.
    """
    manifest = _recorded(target.record_path, header)
    if manifest is None:
        return False
    store = location(target.store)
    metadata = metadata_files(manifest.store)  # the root's file comes last
    lost = {d.key for d in damaged_files(store, manifest) if d.reason != "unexpected"}
    if not lost <= metadata.keys():
        return False
    for key in metadata:
        if key in lost:
            store.write(key, metadata[key])
    manifest.write(target.manifest_path)
    return True


def _recorded(path: Path, header: Mapping[str, Any]) -> Manifest | None:
    """Return the manifest that a record holds, or None without a whole record of this header."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if is_sealed(record) and record["header"] == json.loads(json.dumps(header)):
            return Manifest(**record["manifest"])
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        pass
    return None
