"""What runs measure, learning curves, the choice of the epoch, and the record that a run leaves.

A repetition whose loss stops being finite has diverged: from there on its accuracy is 0, as the
paper marks it in Fig. 12, and its record says so. Which test samples a model classifies rightly is
recorded as a bit each, which pairs two accuracies.

A run file declares the measures that it holds, and tables take what is declared. A method that
measures more gives its `Outcome` these and its own.
"""

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


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


RIGHT = "right"
"""Of a run's repetition and of a tidy table: the text."""


def packed(right: np.ndarray) -> str:
    """Return booleans (n,) as text: n, a colon and their compressed bits in base64."""
    bits = zlib.compress(np.packbits(right).tobytes(), level=9)
    return f"{len(right)}:{base64.b64encode(bits).decode()}"


def unpacked(text: str) -> np.ndarray:
    """Return the booleans (n,) of a text by `packed`.

    Raises:
        ValueError: if it is no such text.
    """
    count, _, bits = text.partition(":")
    try:
        octets = zlib.decompress(base64.b64decode(bits, validate=True))
        return np.unpackbits(np.frombuffer(octets, np.uint8), count=int(count)).astype(bool)
    except (ValueError, zlib.error) as error:
        raise ValueError(f"the bits of right answers are damaged ({error})") from error


@dataclass
class Curves:
    """What one repetition's training showed after every epoch.

    loss: mean training loss of the epoch's steps; None once it is not finite.
    validation: accuracy on the validation split; None without one.
    test: accuracy on the test split.
    right: which test samples are classified rightly, packed; None where several models answer.
    models: SHA-256 of the model, see `fbftl.models.modes`.
    """

    loss: list[float | None] = field(default_factory=list)
    validation: list[float | None] = field(default_factory=list)
    validation_loss: list[float | None] = field(default_factory=list)
    test: list[float] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    right: list[str | None] = field(default_factory=list)

    def append(
        self,
        loss: float,
        validation: float | None,
        validation_loss: float | None,
        test: float,
        model: str,
        right: np.ndarray | None = None,
    ) -> None:
        """Add an epoch; a loss that is not finite, now or earlier, makes its accuracies 0.

        Args:
            loss: mean training loss.
            validation: accuracy on the validation split, None without one.
            validation_loss: mean loss there.
            test: accuracy on the test split.
            model: SHA-256 of the model.
            right: which test samples (n,) are classified rightly, where one model answers.
        """
        finite = bool(np.isfinite(loss)) and not self.diverged
        self.loss.append(loss if finite else None)
        self.validation.append(validation if finite or validation is None else 0.0)
        has_loss = finite and validation_loss is not None and np.isfinite(validation_loss)
        self.validation_loss.append(validation_loss if has_loss else None)
        self.test.append(test if finite else 0.0)
        self.models.append(model)
        self.right.append(None if right is None else packed(right & finite))

    @property
    def diverged(self) -> bool:
        """Whether the loss has stopped being finite."""
        return None in self.loss


def selected_epoch(curves: Curves, rule: str) -> int:
    """Return the epoch (from 1) that a selection rule picks.

    Args:
        curves: at least one epoch.
        rule: `validation` takes the best validation accuracy, ties by the lowest validation
            loss, then the earliest; without a validation split the last epoch. `test` takes the
            best test accuracy, as the papers do (audit row A14). `last` takes the last.
    """
    last = len(curves.test)
    if rule == "test":
        return int(np.argmax(curves.test)) + 1
    if rule == "last" or None in curves.validation:
        return last
    loss = [np.inf if v is None else v for v in curves.validation_loss]
    order = range(last)
    return min(order, key=lambda e: (-(curves.validation[e] or 0.0), loss[e], e)) + 1


def first_epoch_at(test: Sequence[float], accuracy: float) -> int | None:
    """Return the first epoch (from 1) whose test accuracy reaches `accuracy`, if any does."""
    reached = np.flatnonzero(np.asarray(test) >= accuracy)
    return int(reached[0]) + 1 if len(reached) else None


def record(curves: Curves, rule: str) -> dict[str, Any]:
    """Return one repetition's curves and choice as builtin types for the run's JSON."""
    epoch = selected_epoch(curves, rule)
    right = curves.right[epoch - 1]
    return {
        "epoch": epoch,
        "validation_accuracy": curves.validation[epoch - 1],
        "test_accuracy": curves.test[epoch - 1],
        "test_accuracy_best": max(curves.test),
        "diverged": curves.diverged,
        "models": curves.models,
        "series": {
            "loss": curves.loss,
            "validation_accuracy": curves.validation,
            "test_accuracy": curves.test,
        },
    } | ({} if right is None else {RIGHT: right})
