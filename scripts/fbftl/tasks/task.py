"""What a kind of task gives to methods: its inputs, what clients hold, what a run found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from fbftl.data.participation import Holdings
from fbftl.messages.ledger import Ledger
from fbftl.training.measures import MEASURES, SERIES, Measure, Series


@dataclass(frozen=True)
class Inputs:
    """The files and folders that a method may use, and the device it computes on."""

    manifest: Path
    """The feature store's manifest: where the store is, cut layer, preprocessing, digests."""
    device: torch.device
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
    ledger: Ledger
    """Every message that was sent."""
    provenance: dict[str, Any]
    """Digests of what the run was trained on."""
    measures: Mapping[str, Measure] = field(default_factory=lambda: MEASURES)
    """What the numbers of a repetition are; those that are not named here reach no table."""
    series: Mapping[str, Series] = field(default_factory=lambda: SERIES)
    """What the lists below `curves` of a repetition are."""


@dataclass(frozen=True)
class LabelledInputs:
    """Inputs (n, ...) with labels (n,) on the training device."""

    inputs: Tensor
    labels: Tensor


@dataclass(frozen=True)
class Federation:
    """What the clients hold, and the test split.

    samples: the clients' samples, on the training device.
    held: who holds them.
    test: the test split.
    feature_width: floats of one FbFTL upload, which makes one transmission block.
    provenance: digests of where the samples come from.
    """

    samples: LabelledInputs
    held: Holdings
    test: LabelledInputs
    feature_width: int
    provenance: dict[str, Any]

    @property
    def classes(self) -> int:
        """Number of classes N."""
        return int(max(self.samples.labels.max(), self.test.labels.max())) + 1
