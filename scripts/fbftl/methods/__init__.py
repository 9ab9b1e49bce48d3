"""The methods by name. A method is one module with one function:

    run(job: Job, inputs: Inputs) -> Outcome

Adding one is that file and a line here. Modules are imported only when a job runs them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from fbftl.job import Job
    from fbftl.ledger import Ledger

MODULES = {
    "fbftl": "fbftl.methods.fbftl",
    "ftl_c": "fbftl.methods.ftl_c",
    "ftl_f": "fbftl.methods.ftl_f",
    "fl": "fbftl.methods.fl",
    "sfl": "fbftl.methods.sfl",
    "released": "fbftl.methods.released",
}


@dataclass(frozen=True)
class Inputs:
    """The files and folders that a method may use, and the device it computes on."""

    manifest: Path
    """The feature store's manifest: where the store is, cut layer, preprocessing, digests."""
    device: "torch.device"
    network: Path | None = None
    """The network's layers, for methods whose clients are sent a frozen extractor."""
    features: Path | None = None
    """The feature store, where it is a folder; methods open what the manifest names."""
    public: Path | None = None
    """Feature store of public samples, for a clip norm that is their quantile."""
    public_manifest: Path | None = None
    """Its manifest."""
    clients: Path | None = None
    """The client file, for methods that run the whole network."""
    weights: Path | None = None
    """The source model's weights, likewise."""
    source: Path | None = None
    """The source model's manifest, likewise."""
    scratch: Path | None = None
    """Folder for memories of error feedback that are too large for RAM."""


@dataclass(frozen=True)
class Outcome:
    """What a run found."""

    repetitions: list[dict[str, Any]]
    """One entry per seed, in builtin types: curves, selected epoch, what was sent and received."""
    ledger: "Ledger"
    """Every message that was sent."""
    provenance: dict[str, Any]
    """Digests of what the run was trained on."""


def method(name: str) -> "Callable[[Job, Inputs], Outcome]":
    """Return the run function of a method."""
    return import_module(MODULES[name]).run
