"""The record of a finished extraction: what was asked for, and the manifest of what came of it.

It lies beside the store under a name of its own, ``.features.finished.json``, and is no output of
any job. Whoever removes outputs before a job runs again, as workflow engines do, removes the
manifest and the root's metadata; the record says that all else is there, and both are written anew.
Tasks that differ in what follows alone ask for the same features: one that finds the record of
another links its chunks.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fbftl.features.store.format import is_sealed, metadata_files, sealed
from fbftl.features.store.location import is_url, location
from fbftl.features.store.manifest import Manifest
from fbftl.features.store.target import Target, place_beside
from fbftl.features.store.verify import damaged_files
from fbftl.ground.files import link, write_json


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


def link_equal(target: Target, header: Mapping[str, Any]) -> bool:
    """Link what another task has extracted with the same header, and tell whether there is any.

    What is linked is not read here: `finish_again` compares every chunk, and a store that is
    damaged is extracted anew.

    Args:
        target: where the store must be; nothing is linked to a URL.
        header: what is asked for.
    """
    if target.others is None or is_url(target.store):
        return False
    store = Path(target.store)
    for manifest, finished in _finished_in(target.others, header):
        metadata = metadata_files(manifest.store)
        chunks = [key for key in manifest.files if key not in metadata]
        # What is damaged here is no help; it would be removed before it is linked.
        if finished.resolve() != store.resolve() and all(
            (finished / key).is_file() for key in chunks
        ):
            shutil.rmtree(store, ignore_errors=True)
            for key in chunks:
                link(finished / key, store / key)
            place = place_beside(target.manifest_path, target.store)
            write_record(target.record_path, header, replace(manifest, location=place))
            return True
    return False


def _finished_in(others: Path, header: Mapping[str, Any]) -> Iterator[tuple[Manifest, Path]]:
    """Yield the stores with this header that the tasks of a folder have beside their records."""
    for path in sorted(others.glob("*/.*.finished.json")):
        manifest = _recorded(path, header)
        if manifest is not None and not is_url(manifest.location):
            yield manifest, path.parent / manifest.location


def _recorded(path: Path, header: Mapping[str, Any]) -> Manifest | None:
    """Return the manifest that a record holds, or None without a whole record of this header."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if is_sealed(record) and record["header"] == json.loads(json.dumps(header)):
            return Manifest(**record["manifest"])
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        pass
    return None
