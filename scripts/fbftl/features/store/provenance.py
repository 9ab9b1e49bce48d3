"""Where features come from, which decides whether a cache may be used, and where they go."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fbftl.features.store.format import FEATURE_CHUNK_BYTES
from fbftl.features.store.manifest import is_url
from fbftl.ground.files import sha256
from fbftl.ground.floats import FLOAT32


@dataclass(frozen=True)
class Provenance:
    """What made a feature store.

    Two provenances are equal when their identity is: source, cut, preprocessing, data and compute.

    source: digest of the source model's weights.
    cut: name of the cut layer whose output is stored.
    preprocessing: what was done to a sample before the model; builtin types only.
    data: digest of the client file.
    compute: how the network computed, as `features.compute` says it; a document names it where it
        is not float32.
    dtype: storage dtype of the features: float32, float16 or bfloat16.
    width: numbers per feature vector; 0 until extracted.
    counts: samples per split; empty until extracted.
    libraries: versions of the libraries that computed the features.
    """

    source: str
    cut: str
    preprocessing: Mapping[str, Any]
    data: str
    compute: str = FLOAT32
    dtype: str = field(default="float32", compare=False)
    width: int = field(default=0, compare=False)
    counts: Mapping[str, int] = field(default_factory=dict, compare=False)
    libraries: Mapping[str, str] = field(default_factory=dict, compare=False)

    def document(self) -> dict[str, Any]:
        """Return the fields as JSON-ready builtins."""
        document = asdict(self)
        if self.compute == FLOAT32:
            del document["compute"]
        return document


def provenance_of(document: Mapping[str, Any]) -> Provenance:
    """Read the provenance in a store's document; KeyError if a field is missing."""
    named = {"compute": FLOAT32, **document}
    return Provenance(**{field.name: named[field.name] for field in fields(Provenance)})


def provenances_of(
    cuts: Iterable[str], source: str, preprocessing: Mapping[str, Any], clients: str | Path,
    features: Mapping[str, Any], libraries: Iterable[str],
) -> dict[str, Provenance]:  # fmt: skip
    """Return the provenance of each cut that one pass extracts.

    Args:
        cuts: their names.
        source: digest of the source model's weights.
        preprocessing: what is done to a sample before the model.
        clients: path of the client file.
        features: the task's block of this name.
        libraries: packages that compute the features.
    """
    common = {
        "source": source,
        "preprocessing": preprocessing,
        "data": sha256(clients),
        "compute": features.get("compute", FLOAT32),
        "dtype": features["dtype"],
        "libraries": {name: version(name) for name in libraries},
    }
    return {cut: Provenance(cut=cut, **common) for cut in cuts}


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
