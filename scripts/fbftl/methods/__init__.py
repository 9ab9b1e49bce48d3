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

MODULES = {
    "fbftl": "fbftl.methods.fbftl",
}


@dataclass(frozen=True)
class Inputs:
    """The files that a method may read, and the device it computes on."""

    features: Path
    """The feature store."""
    device: "torch.device"


@dataclass(frozen=True)
class Outcome:
    """What a run found, in builtin types."""

    repetitions: list[dict[str, Any]]
    """One entry per seed: curves, the selected epoch, and what was sent and received."""
    provenance: dict[str, Any]
    """Digests of what the run was trained on."""


def method(name: str) -> "Callable[[Job, Inputs], Outcome]":
    """Return the run function of a method."""
    return import_module(MODULES[name]).run
