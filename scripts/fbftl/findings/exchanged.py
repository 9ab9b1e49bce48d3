"""What a run found and what it exchanged until any epoch, as run file and ledger have it together.

What each method sends up until it has converged, or is as accurate as others or nearly so, is found
seed by seed. It is the one place of every uplink and of every ratio to FbFTL's: table, figure,
sentences and numbers read what is written here.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fbftl.findings.run_file import read_run
from fbftl.findings.runs import counted, spread_of
from fbftl.findings.steps import Axes, Paths
from fbftl.findings.wording import rounds_words
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


def read_all(runs: Paths, ledgers: Paths, axes: Axes) -> list[Exchanged]:
    """Read run files and their ledgers, in the same order."""
    return [read_exchanged(run, ledger, axes) for run, ledger in zip(runs, ledgers, strict=True)]


def read_methods(runs: Paths, ledgers: Paths, axes: Axes) -> dict[str, Exchanged]:
    """Read one run of every method.

    Raises:
        UserError: if a method has several, which a table of methods cannot hold.
    """
    read = read_all(runs, ledgers, axes)
    methods = {run.method: run for run in read}
    if len(methods) < len(read):
        raise UserError(
            "the experiment methods has several settings of one method; give it one value of "
            "every axis but method"
        )
    return methods


SELECTED = "selected epoch"
"""Each seed's own, which the selection rule picked."""

COMMON = "common accuracy"
"""The first epoch of each seed at the highest test accuracy that every method reaches in all."""


def common_accuracy(methods: Mapping[str, Exchanged]) -> float:
    """Return the highest test accuracy that every method reaches in every seed, at some epoch."""
    return min(float(run.accuracy.max(axis=1).min()) for run in methods.values())


def times(run: Exchanged, epochs: list[int], fbftl: Exchanged | None) -> list[Fraction] | None:
    """Return how many times FbFTL's uplink a run's is, by seed, as the paper counts bits.

    None if FbFTL was not run. What FbFTL sends does not depend on the epoch.

    Args:
        run: the run.
        epochs: the last epoch that counts, per seed.
        fbftl: FbFTL's run on the same seeds.
    """
    if fbftl is None:
        return None
    bits = run.until("up", "payload_bits", epochs)
    fbftl_bits = fbftl.until("up", "payload_bits", fbftl.selected)
    return [Fraction(int(a), int(b)) for a, b in zip(bits, fbftl_bits, strict=True)]


def uplink(methods: Mapping[str, Exchanged]) -> pd.DataFrame:
    """Return a row per method, end of the count and seed.

    Columns: `task`, `method`, `until`, `seed`, `epoch`, `accuracy` (test, at that epoch),
    `payload_bits` (what the paper counts), `bits` (what was sent), `times_fbftl` (payload over
    FbFTL's of the same seed) and `diverged`.
    """
    target, parts = common_accuracy(methods), []
    for name, run in methods.items():
        for until, epochs in ((SELECTED, run.selected), (COMMON, run.reaching(target))):
            ratio = times(run, epochs, methods.get("fbftl"))
            columns = {
                "task": run.task,
                "method": name,
                "until": until,
                "seed": run.seeds,
                "epoch": epochs,
                "accuracy": [curve[at - 1] for curve, at in zip(run.accuracy, epochs, strict=True)],
                "payload_bits": run.until("up", "payload_bits", epochs),
                "bits": run.until("up", "bits", epochs),
                "times_fbftl": None if ratio is None else list(map(float, ratio)),
                "diverged": run.diverged,
            }
            parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


ENDS = {"equal": 0.0, "near": 0.01}
"""Names of ends of the count, and by how much of accuracy each is short of FbFTL's."""

PLAIN = "fbftl"
"""The method that every other is compared with: FbFTL, whose floats are its plain setting."""


def accuracy(run: Exchanged, of: str = "test") -> np.ndarray:
    """Return the accuracy (S, E + 1) before the first round, 0 where unknown, and at each point.

    Args:
        run: the run.
        of: the test split, or validation for held-out samples.
    """
    before = "start_accuracy" if of == "test" else f"start_{of}_accuracy"
    return np.array(
        [[r.get(before) or 0.0, *r["series"][f"{of}_accuracy"]] for r in run.repetitions]
    )


def points_at(run: Exchanged, fbftl: Exchanged, short: float, of: str = "test") -> list[int | None]:
    """Return each seed's first point, 0 before the rounds, that is so short of FbFTL's accuracy.

    FbFTL's is that at its chosen epoch, of the same seed; None of a seed that never gets there.
    Curves go up and down, so that the first point there favours whoever has many.
    """
    wanted = [repetition[f"{of}_accuracy"] - short for repetition in fbftl.repetitions]
    reached = accuracy(run, of) >= np.array(wanted)[:, None] - 1e-9
    return [int(row.argmax()) if row.any() else None for row in reached]


def sent_until(run: Exchanged, direction: str, points: Sequence[int | None]) -> np.ndarray:
    """Return the bits sent up or down until each seed's point (S,), all of them without one.

    A head that is good enough before anything is sent counts as one bit, which has a logarithm.
    """
    last = [run.points if point is None else point for point in points]
    return np.maximum(run.until(direction, "bits", last), 1).astype(float)


def names(runs: Sequence[Exchanged], labels: Mapping[str, str], untold: Any = ()) -> list[str]:
    """Return a name of each run: its method's label, and the axes in which its method's vary.

    The server's optimiser is told in any case, for it is what a method's name leaves open.

    Args:
        runs: all that are named together.
        labels: of their methods.
        untold: axes to leave out.
    """
    found = []
    for run in runs:
        alike = [other.setting.values for other in runs if other.method == run.method]
        varied = {
            axis: value
            for axis, value in run.setting.values.items()
            if axis in run.setting.deviating and axis not in untold
            if axis == "server_optimiser" or any(of_other[axis] != value for of_other in alike)
        }
        found.append(", ".join([labels[run.method], *rounds_words(varied)]))
    return found
