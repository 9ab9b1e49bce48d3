"""One training job: a setting with the training values, seeds and widths that it runs under.

A job is told its method and the axes that differ from their default, which its result depends on;
the defaults of the other axes that its method knows come beside it, for they never change.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


def name_of(deviations: Mapping[str, Any]) -> str:
    """Return a setting's file name: its method, then every axis that differs from its default.

    The parts are joined by a plus: commas separate wildcards where Snakemake hands a job to
    another machine, and a name that held one would be taken for another setting's.

    Args:
        deviations: `method` and axes with their values, in the fixed order of the axes.
    """
    axes = [f"{axis}={value}" for axis, value in deviations.items() if axis != "method"]
    return "+".join([deviations["method"], *axes])


@dataclass(frozen=True)
class KnownAxes:
    """A method and the axes that its run reads, each an attribute, as in ``setting.plr``."""

    values: Mapping[str, Any]

    def __getattr__(self, axis: str) -> Any:
        values = self.__dict__.get("values", {})
        if axis in values:
            return values[axis]
        raise AttributeError(
            f"method {values.get('method')} does not know axis {axis}; name it in its record"
        )


def known_axes(deviations: Mapping[str, Any], defaults: Mapping[str, Any]) -> KnownAxes:
    """Return a setting with the axes that it leaves at their default.

    Args:
        deviations: `method`, and axes that differ from their default.
        defaults: the axes that are known, with their defaults.

    Raises:
        ValueError: if it deviates in an axis that is not known.
    """
    unknown = deviations.keys() - defaults.keys() - {"method"}
    if unknown:
        raise ValueError(
            f"method {deviations['method']} does not know {', '.join(sorted(unknown))}"
        )
    return KnownAxes({**defaults, **deviations})


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


@dataclass(frozen=True)
class Job:
    """All that the science of one job depends on beside its input files."""

    task: str
    setting: KnownAxes
    seeds: tuple[int, ...]
    head: tuple[int, ...]
    """Widths of the head's hidden layers."""
    clients: Mapping[str, Any]
    """The task's partition, for settings that regroup samples into other clients."""
    training: Training
    privacy: Privacy
    network: Mapping[str, Any] | None = None
    """The task's block of the network that the setting names; None trains the source's."""


def from_params(params: Mapping[str, Any], axes: Mapping[str, Mapping[str, Any]]) -> Job:
    """Build a job from the builtin types that the workflow passes.

    Args:
        params: all that its science depends on.
        axes: the axes that each method knows, with their defaults.
    """
    setting = params["setting"]
    return Job(
        task=params["task"],
        setting=known_axes(setting, axes[setting["method"]]),
        seeds=tuple(params["seeds"]),
        head=tuple(params["head"]),
        clients=params["clients"],
        training=Training(**params["training"]),
        privacy=Privacy(**params["privacy"]),
        network=params.get("network"),
    )
