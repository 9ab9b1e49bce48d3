"""What a run found and what it exchanged until any epoch: run file and ledger, read together."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fbftl.findings.run_file import read_run
from fbftl.findings.seeds import counted, spread_of
from fbftl.ground.errors import UserError, required
from fbftl.messages.ledger import read_ledger
from fbftl.models.cost.payload import Federation
from fbftl.study.job import KnownAxes, known_axes, pace
from fbftl.training.curves import first_epoch_at

TOTALS = ["messages", "payload_bits", "bits", "packets", "attempts", "lost"]
DIRECTIONS = ["up", "down", "between"]
COLUMNS = ["seed", "direction", "round", *TOTALS[1:]]


@dataclass(frozen=True)
class Exchanged:
    """One run: its curves, and the totals of its ledger.

    task: name of the task.
    setting: the axes of the run that were asked for.
    repetitions: one entry per seed, as the run file has them.
    totals: `messages`, `payload_bits` (what the paper counts), `bits` (what was sent), `packets`
        (blocks), `attempts` (blocks, repeats included) and `lost` messages from the beginning to
        the end of each epoch; index seed, direction (up, down, between), epoch. Epoch 0 is what is
        sent before the first, which is all of FbFTL's.
    training: the run's training values.
    measures: what the run declares of its numbers.
    """

    task: str
    setting: KnownAxes
    repetitions: list[dict[str, Any]]
    totals: pd.DataFrame
    training: dict[str, Any]
    measures: dict[str, dict[str, Any]]

    @property
    def method(self) -> str:
        """How the model was trained."""
        return self.setting.method

    @property
    def seeds(self) -> list[int]:
        """The repetitions' seeds."""
        return [repetition["seed"] for repetition in self.repetitions]

    @property
    def selected(self) -> list[int]:
        """The epoch that the selection rule picked, per seed."""
        return [repetition["epoch"] for repetition in self.repetitions]

    @property
    def points(self) -> int:
        """How many points its curves have."""
        return int(self.totals.index.get_level_values("epoch").max())

    @property
    def accuracy(self) -> np.ndarray:
        """Test accuracy (S, E) after every epoch."""
        return np.array([r["series"]["test_accuracy"] for r in self.repetitions])

    @property
    def federations(self) -> list[Federation]:
        """The clients of each repetition, with what they train on.

        Where they send once, before the first epoch, with what they upload.
        """
        up = self.totals.xs("up", level="direction")["messages"]
        once = up.xs(0, level="epoch").gt(0).all()
        column = "offered" if once else "seen"
        return [
            Federation(
                clients=repetition["clients"],
                samples_per_client=Fraction(repetition[column], repetition["clients"]),
                clients_per_round=self.training["clients_per_round"],
            )
            for repetition in self.repetitions
        ]

    def until(self, direction: str, total: str, epochs: list[int]) -> np.ndarray:
        """Return a total of `totals` per seed (S,) up to the end of each one's epoch."""
        return np.array(
            [
                self.totals.at[(seed, direction, epoch), total]
                for seed, epoch in zip(self.seeds, epochs, strict=True)
            ]
        )

    def measured(self, name: str) -> float | None:
        """Return the mean over seeds of a measure in the run file; None if it has none."""
        values = [r[name] for r in self.repetitions if r.get(name) is not None]
        return float(np.mean(values)) if len(values) == len(self.repetitions) else None

    @property
    def diverged(self) -> list[bool]:
        """Whether the loss stopped being finite, per seed."""
        return [repetition["diverged"] for repetition in self.repetitions]

    @property
    def accuracies(self) -> list[float]:
        """Test accuracy at the selected epoch, per seed; 0 for one that diverged."""
        return [
            counted(repetition, self.measures)["test_accuracy"] for repetition in self.repetitions
        ]

    def after(self, epoch: int) -> list[float]:
        """Return the test accuracy after one epoch, per seed; 0 for one that diverged."""
        by_seed = zip(self.accuracy[:, epoch - 1], self.diverged, strict=True)
        return [0.0 if lost else float(accuracy) for accuracy, lost in by_seed]

    def summary(self, accuracy: Sequence[float]) -> dict[str, Any]:
        """Return what tables say of accuracies per seed.

        Mean and spread, seeds, how many diverged, and the mean over those that did not.
        """
        kept = [a for a, lost in zip(accuracy, self.diverged, strict=True) if not lost]
        return {
            "accuracy": float(np.mean(accuracy)),
            "spread": spread_of(accuracy),
            "seeds": len(accuracy),
            "diverged": sum(self.diverged),
            "accuracy_converged": float(np.mean(kept)) if kept else None,
        }

    def reported(self) -> dict[str, Any]:
        """Return what tables report, as a figure marks it: means over seeds at their own epochs.

        Epoch, uplink (bits as sent), accuracy with its spread, and how many seeds diverged.
        """
        summary = self.summary(self.accuracies)
        return {
            "epoch": float(np.mean(self.selected)),
            "uplink": float(self.until("up", "bits", self.selected).mean()),
            "accuracy": summary["accuracy"],
            "spread": math.nan if summary["spread"] is None else summary["spread"],
            "diverged": summary["diverged"],
        }

    def reaching(self, accuracy: float) -> list[int]:
        """Return the first epoch of each seed at a test accuracy that every seed reaches.

        Raises:
            ValueError: if a seed never does.
        """
        return [required(first_epoch_at(curve, accuracy)) for curve in self.accuracy]


def read_exchanged(run: str | Path, ledger: str | Path, axes: Mapping[str, Any]) -> Exchanged:
    """Read a run file and its ledger.

    Args:
        run: the run file.
        ledger: its ledger.
        axes: the axes to know of it, with their defaults; all in which it deviates are among them.
    """
    document = read_run(run)
    repetitions, training = document["repetitions"], document["training"]
    paces = {
        repetition["seed"]: pace(
            repetition["clients"], training["clients_per_round"], training["epochs"],
            training.get("rounds"),
        )
        for repetition in repetitions
    }  # fmt: skip
    rounds_per_epoch = {seed: rounds for seed, (rounds, _) in paces.items()}
    _, points = paces[repetitions[0]["seed"]]
    rows = read_ledger(ledger, COLUMNS).to_pandas()
    epoch = np.ceil(rows["round"] / rows["seed"].map(rounds_per_epoch)).astype(int)
    # Only the first part of a message says what became of it.
    messages, lost = rows["lost"].notna(), rows["lost"].eq(True)
    by_epoch = rows.assign(epoch=epoch, messages=messages, lost=lost).groupby(
        ["seed", "direction", "epoch"], observed=True
    )[TOTALS]
    every = pd.MultiIndex.from_product(
        [paces, DIRECTIONS, range(points + 1)], names=["seed", "direction", "epoch"]
    )
    totals = by_epoch.sum().reindex(every, fill_value=0).astype(np.int64)
    return Exchanged(
        task=document["task"],
        setting=known_axes(document["setting"], axes),
        repetitions=repetitions,
        totals=totals.groupby(["seed", "direction"]).cumsum(),
        training=training,
        measures=document["measures"],
    )


def read_methods(
    runs: list[str], ledgers: list[str], axes: Mapping[str, Any]
) -> dict[str, Exchanged]:
    """Read one run of every method.

    Raises:
        UserError: if a method has several, which a table of methods cannot hold.
    """
    read = [read_exchanged(run, ledger, axes) for run, ledger in zip(runs, ledgers, strict=True)]
    methods = {run.method: run for run in read}
    if len(methods) < len(read):
        raise UserError(
            "the experiment methods has several settings of one method; give it one value of "
            "every axis but method"
        )
    return methods
