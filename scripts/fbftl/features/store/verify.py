"""Proving that a store is what its manifest says, file by file."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fbftl.features.store.format import sha256_of
from fbftl.features.store.location import AT_ONCE
from fbftl.features.store.manifest import place_of, read_manifest


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
