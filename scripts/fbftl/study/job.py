"""One training job: a setting with the training values, seeds and widths that it runs under."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fbftl.study.settings import Setting, from_axes


@dataclass(frozen=True)
class Training:
    """How a model is trained; defaults live in the configuration's schema."""

    epochs: int
    """Passes over all of the task's training samples; iterations do not shrink with fewer data."""
    batch: int
    """Samples per server step of FbFTL."""
    clients_per_round: int
    """Clients U·C per round of the gradient methods."""
    learning_rate: float
    momentum: float
    weight_decay: float
    validation: float
    """Share of the received uploads held out to pick the epoch."""
    selection: str
    """validation, test (the papers' habit), or last."""
    dropout: bool = False
    """Whether dropout acts while clients train a network; every client's masks are its own."""
    batch_norm: str = "frozen"
    """frozen: by the running statistics that the network came with. batch: by those of the batch,
    in training each client's own."""


@dataclass(frozen=True)
class Privacy:
    """What a privacy mechanism needs beside a setting's sigma or epsilon; None if it does not."""

    delta: float | None = None
    feature_clip: Mapping[str, Any] | None = None
    """L2 clip norm c of a feature vector: `norm`, or a `quantile` of public `data`."""
    update_clip: float | None = None
    """L2 norm to which a client's mean gradient is clipped: c over the mean K_u."""


NEEDED: dict[str, tuple[str, ...]] = {
    "none": (),
    "relative": (),
    "gaussian": ("delta", "feature_clip"),
    "dp_fedavg": ("delta", "update_clip"),
}
"""The values of `Privacy` that each mechanism needs; a job is given no others."""


@dataclass(frozen=True)
class Job:
    """All that the science of one job depends on beside its input files."""

    task: str
    setting: Setting
    seeds: tuple[int, ...]
    head: tuple[int, ...]
    """Widths of the head's hidden layers."""
    clients: Mapping[str, Any]
    """The task's partition, for settings that regroup samples into other clients."""
    training: Training
    privacy: Privacy
    network: Mapping[str, Any] | None = None
    """The task's block of the network that the setting names; None trains the source's."""


def from_params(params: Mapping[str, Any]) -> Job:
    """Build a job from the builtin types that the workflow passes."""
    return Job(
        task=params["task"],
        setting=from_axes(params["setting"]),
        seeds=tuple(params["seeds"]),
        head=tuple(params["head"]),
        clients=params["clients"],
        training=Training(**params["training"]),
        privacy=Privacy(**params["privacy"]),
        network=params.get("network"),
    )
