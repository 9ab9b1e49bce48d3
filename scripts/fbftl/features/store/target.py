"""Where one cut's features go: the store, its manifest, and the work folder between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fbftl.features.store.format import FEATURE_CHUNK_BYTES
from fbftl.features.store.location import is_url
from fbftl.features.store.provenance import Provenance


@dataclass(frozen=True)
class Target:
    """One store to be extracted.

    store: folder or URL of the finished store, e.g. ``results/digits/features.zarr``.
    provenance: what the features are; `cut` names the forward pass's output, `dtype` the
        storage dtype.
    manifest: local file that vouches for the store; by default beside it, which then is local.
    chunk_bytes: decoded size of a feature chunk; what a kill can cost.
    code: digest of the code that makes the features; what other code has made is not gone on
        with.
    """

    store: str | Path
    provenance: Provenance
    manifest: str | Path | None = None
    chunk_bytes: int = FEATURE_CHUNK_BYTES
    code: str = ""

    @property
    def manifest_path(self) -> Path:
        """Path of the manifest: the one given, else `features.json` beside `features.zarr`."""
        return Path(self.manifest or Path(self.store).with_suffix(".json"))

    @property
    def work_path(self) -> Path:
        """Folder of the unfinished extraction: beside a local store, else beside the manifest."""
        sibling = self.manifest_path if is_url(self.store) else Path(self.store)
        return sibling.with_name(f".{sibling.stem}.work")


def targets_of(
    stores: Sequence[str],
    manifests: Sequence[str],
    provenances: Mapping[str, Provenance],
    chunk_mib: int,
    code: str,
) -> list[Target]:
    """Return the targets of one pass, one per cut.

    Args:
        stores: folders or URLs, a task's own cut first, then its further cuts.
        manifests: local files that vouch for them.
        provenances: what the features at each cut are, in the same order.
        chunk_mib: decoded size of a feature chunk in MiB.
        code: digest of the code that makes the features.
    """
    return [
        Target(store, provenance, manifest, chunk_mib * 2**20, code)
        for store, manifest, provenance in zip(stores, manifests, provenances.values(), strict=True)
    ]
