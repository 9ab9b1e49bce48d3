"""What runs measure: a number or a list per repetition, with its unit and what it is good for.

A run file declares those that it holds, and tables take what is declared. A method that measures
more gives its `Outcome` these and its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Measure:
    """One number of a repetition.

    unit: a share lies in [0, 1], a percentage (%) in [0, 100], a correlation in [-1, 1]; nothing
        else is negative.
    better: higher or lower; None where neither is.
    diverged: what counts for a seed that diverged; None takes what was measured.
    """

    unit: str
    better: str | None = None
    diverged: float | None = None


@dataclass(frozen=True)
class Series:
    """One list of numbers of a repetition, an entry per step.

    by: what a step is.
    """

    unit: str
    by: str = "epoch"


@dataclass(frozen=True)
class ExtraMeasures:
    """What a learner measured at the chosen epoch beside what every run does.

    numbers: by name; declared in `measures`.
    lists: by name; declared in `series`.
    record: what else the run file says, in builtin types.
    """

    numbers: Mapping[str, float] = field(default_factory=dict)
    lists: Mapping[str, list[float]] = field(default_factory=dict)
    record: Mapping[str, Any] = field(default_factory=dict)
    measures: Mapping[str, Measure] = field(default_factory=dict)
    series: Mapping[str, Series] = field(default_factory=dict)


_ACCURACY = Measure("share", "higher", diverged=0.0)
_ROUGE = Measure("%", "higher", diverged=0.0)
_BITS = Measure("bits", "lower")

MEASURES = {
    "epoch": Measure("epochs"),
    "test_accuracy": _ACCURACY,
    "test_accuracy_best": _ACCURACY,
    "ridge_accuracy": _ACCURACY,
    "validation_accuracy": _ACCURACY,
    "rouge1": _ROUGE,
    "rouge2": _ROUGE,
    "rougeL": _ROUGE,
    "rougeLsum": _ROUGE,
    "offered": Measure("samples"),
    "received": Measure("samples"),
    "seen": Measure("samples"),
    "trained_encoders": Measure("blocks"),
    "upload_batches": Measure("messages"),
    "numbers_per_batch": Measure("numbers", "lower"),
    "uplink_payload_bits": _BITS,
    "uplink_bits": _BITS,
    "downlink_bits": _BITS,
    "frozen_bits": _BITS,
    "token_id_bits": _BITS,
    "nominal_bits": _BITS,
    "packed_bits": _BITS,
    "entropy_coded_bits": _BITS,
    "limit_bits": _BITS,
    "model_bits": _BITS,
    "distortion": Measure("of the energy", "lower"),
}
"""What the methods here measure; from `nominal_bits` on per sampled message."""

SERIES = {
    "loss": Series("nats"),
    "validation_loss": Series("nats"),
    "validation_accuracy": Series("share"),
    "test_accuracy": Series("share"),
    "updates": Series("updates"),
}
"""What the methods here follow."""
