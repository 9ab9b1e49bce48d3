"""Measures of claims: what a setting's runs on a task come to, seed by seed, by the measure's name.

Those here serve several papers; a paper's own are in `papers/{paper}/claims.py`. Accuracies and
shares are in percent. A setting that was not run has no values.

Papers say of methods that they converge sooner, or more smoothly, and none says how it tells. What
does here is ours, and the same for every paper. Rounds are found by means over several rounds in a
row: a curve that jumps up and down touches any accuracy in a single round long before a smooth one
of the same mean.
"""

from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fbftl.findings.exchanged import SELECTED
from fbftl.findings.published import ROUNDING
from fbftl.findings.runs import per_seed
from fbftl.findings.wording import axes_of
from fbftl.papers import found_in
from fbftl.papers.claim_rows import Side
from fbftl.papers.quantities import Runs

TAIL = 0.1
"""Share of the rounds whose mean counts, as where a curve is and as where it ends."""

NEAR = 0.01
"""A curve has converged where it comes this near to its end, a point of accuracy."""


def _rounds_of_a_mean(curve: ArrayLike) -> int:
    return max(1, round(TAIL * np.size(curve)))


def _means(curve: ArrayLike) -> NDArray[np.float64]:
    """Return the mean of every so many rounds in a row."""
    count = _rounds_of_a_mean(curve)
    return np.convolve(np.asarray(curve, dtype=float), np.ones(count) / count, "valid")


def end_of(curve: ArrayLike) -> float:
    """Return where a curve (rounds,) ends, the mean of its last rounds."""
    return float(_means(curve)[-1])


def rounds_until(curve: ArrayLike, mark: float) -> float:
    """Return the round (from 1) at which a curve reaches a mark; one more than all if it does not.

    It is the middle of the first rounds in a row, as many as an end has, whose mean is there.

    Args:
        curve: (rounds,), one or more.
        mark: what it is to reach.
    """
    reached = np.flatnonzero(_means(curve) >= mark - ROUNDING)
    if not len(reached):
        return float(np.size(curve) + 1)
    return float(reached[0] + (_rounds_of_a_mean(curve) + 1) / 2)


def rounds_to_converge(curve: ArrayLike) -> float:
    """Return the round (from 1) at which a curve is as near to its end as `NEAR`.

    Of one that has not converged it is nan, which is not compared: by the round that ends them all,
    any two curves that still rise would be equal.
    """
    return rounds_until(curve, end_of(curve) - NEAR) if _has_converged(curve) else float("nan")


def _has_converged(curve: ArrayLike) -> bool:
    """Tell whether the last rounds are as near to as many before them as noise lets anyone tell.

    A curve that ends in nothing has diverged.
    """
    values, count = np.asarray(curve, dtype=float), _rounds_of_a_mean(curve)
    if len(values) < 2 * count or end_of(curve) <= 0:
        return False
    before, last = values[-2 * count :].reshape(2, count)
    error = np.sqrt((before.var() + last.var()) / count)
    return bool(abs(last.mean() - before.mean()) <= NEAR + error)


def rounds_falling(curve: ArrayLike) -> float:
    """Return the share of rounds after the first in which a curve is below the round before."""
    steps = np.diff(np.asarray(curve, dtype=float))
    return float((steps < 0).mean()) if len(steps) else 0.0


def points_fallen(curve: ArrayLike) -> float:
    """Return by how many points a curve of shares falls in all its rounds together."""
    return float(-100 * np.minimum(np.diff(np.asarray(curve, dtype=float)), 0).sum())


BySetting = Callable[[Runs, str], pd.Series]
"""From the runs of a task and the name of a setting to values by seed."""


@dataclass(frozen=True)
class ClaimMeasure:
    """A quantity that claims compare.

    values: of one setting, by seed.
    tested_on: share of the task's test samples of which it is the share that is right; 0 of what
        is no accuracy.
    counted: whether it is a count, in which two sides can be equal exactly.
    answered: whether it is an accuracy of the answers that runs keep: on all test samples, or on
        the first of them where it is tested on a share.
    """

    values: BySetting
    tested_on: float = 0.0
    counted: bool = False
    answered: bool = False

    def percents_right(self, runs: Runs, setting: str) -> np.ndarray | None:
        """Return of each sample that it is tested on how many per cent of the seeds are right.

        None where runs do not say.
        """
        of_all = runs.percents_right(setting) if self.answered else None
        return None if of_all is None else of_all[: int(self.tested_on * len(of_all))]


@dataclass(frozen=True)
class PairedMeasure:
    """A quantity of each of two sides that depends on the other side.

    values: of both sides, by seed.
    """

    values: Callable[[Runs, Side, Side], tuple[pd.Series, pd.Series]]


Measured = ClaimMeasure | PairedMeasure

NOTHING = pd.Series(dtype=float)
"""Of a setting that was not run."""


def column(runs: Runs, name: str, setting: str) -> pd.Series:
    """Return a column of a setting's runs by seed, without missing values."""
    if name not in runs.table:
        return NOTHING
    return per_seed(runs.table, setting, name).dropna().astype(float)


def curves(runs: Runs, series: str, setting: str) -> pd.DataFrame:
    """Return a series of a setting, a row for each seed and a column for each step from 1."""
    if runs.series.empty:
        return pd.DataFrame()
    rows = runs.series
    rows = rows[(rows["setting"] == setting) & (rows["series"] == series)]
    return rows.pivot(index="seed", columns="step", values="value").astype(float)


def along(series: str, comes_to: Callable[[pd.Series], float]) -> ClaimMeasure:
    """Return the measure of what a curve comes to; a seed whose curve comes to nan has none."""

    def values(runs: Runs, setting: str) -> pd.Series:
        of_setting = curves(runs, series, setting)
        by_seed = {seed: comes_to(curve.dropna()) for seed, curve in of_setting.iterrows()}
        return pd.Series(by_seed, dtype=float).dropna()

    return ClaimMeasure(values)


def plain(name: str, *, counted: bool = False, factor: float = 1.0) -> ClaimMeasure:
    """Return the measure that is a column of runs."""
    return ClaimMeasure(lambda runs, of: factor * column(runs, name, of), counted=counted)


def share_right(name: str, tested_on: float = 1.0, *, answered: bool = False) -> ClaimMeasure:
    """Return the accuracy that is a column of runs.

    Args:
        name: of the column.
        tested_on: share of the test samples on which it is measured.
        answered: whether it is of the answers that runs keep.
    """
    return ClaimMeasure(lambda runs, of: 100 * column(runs, name, of), tested_on, answered=answered)


def accuracy(runs: Runs, setting: str) -> pd.Series:
    """Return test accuracy in percent, of summaries ROUGE-1."""
    if "test_accuracy" in runs.table:
        return 100 * column(runs, "test_accuracy", setting)
    return column(runs, "rouge1", setting)


def payload(runs: Runs, setting: str) -> pd.Series:
    """Return the bits up as the papers count them, until the epoch that validation picks."""
    if not runs.uplink.empty:
        rows = runs.uplink[runs.uplink["until"] == SELECTED]
        rows = rows[rows["method"] == setting]
        if len(rows):
            return rows.set_index("seed")["payload_bits"].astype(float).sort_index()
    return column(runs, "uplink_payload_bits", setting)


def per_round(name: str) -> ClaimMeasure:
    """Return the measure of a count per round, of runs that did not diverge, all rounds of which
    count."""

    def values(runs: Runs, setting: str) -> pd.Series:
        diverged = column(runs, "diverged", setting).astype(bool)
        in_all, rounds = (column(runs, of, setting) for of in (name, "epoch"))
        return (in_all / rounds)[~diverged]

    return ClaimMeasure(values, counted=True)


def diverged(runs: Runs, setting: str) -> list[int]:
    """Return the seeds of a setting that diverged."""
    flags = column(runs, "diverged", setting).astype(bool)
    return list(flags.index[flags])


POINTS_OVER_CHANCE = 2.0
"""Up to which an accuracy in percent is a guess: one answer to all samples of ten classes is right
for 11.6 % at most, MNIST's ones."""


def guessed(percent: float, classes: int) -> bool:
    """Tell whether an accuracy is no better than a guess."""
    return percent <= 100 / classes + POINTS_OVER_CHANCE


MEASURES: Mapping[str, Measured] = {
    "accuracy": ClaimMeasure(accuracy, 1.0, answered=True),
    "best_accuracy": share_right("test_accuracy_best"),
    **{of: share_right(of) for of in ("protected_accuracy", "first_accuracy", "ridge_accuracy")},
    "uplink_payload_bits": ClaimMeasure(payload, counted=True),
    "uplink_bits": plain("uplink_bits", counted=True),
    "uplink_bits_per_round": per_round("uplink_bits"),
    "rounds_to_converge": along("protected_accuracy", rounds_to_converge),
    **{
        name: plain(name)
        for name in (
            "reversals", "rounds_to_target", "training_loss", "validation_loss", "rouge1", "psnr",
            "psnr_blind", "ssim", "ssim_blind", "inversion_psnr", "inversion_blind", "membership",
            "membership_of_average", "membership_blind", "label_recovery", "label_recovery_blind",
        )
    },
}  # fmt: skip
"""Measures of several papers, by name."""


def measures_of(paper: str) -> dict[str, Measured]:
    """Return the measures that rows of a paper may name."""
    return dict(ChainMap(*found_in(paper, "MEASURES"), MEASURES))


OF_CLIENTS = {"clients", "samples_per_client", "partition", "alpha"}
"""Axes that say what clients hold."""

OF_MESSAGE = {
    *("method", "message", "head", "means_per_class", "components", "covariance"),
    *("bits", "keep", "projection"),
}  # fmt: skip
"""Axes that say what they send of it, and what is solved from that."""


def best_front(runs: Runs, setting: str) -> str | None:
    """Return the most accurate setting of another message at no more bits, among equal clients.

    None if the setting or no other was run.
    """
    own_axes, bits = axes_of(setting), payload(runs, setting)
    names = runs.table["setting"].unique() if len(bits) else ()
    others = [name for name in names if _is_other(axes_of(name), own_axes)]
    means = {name: accuracy(runs, name).mean() for name in others}
    shorter = {name: of for name, of in means.items() if payload(runs, name).mean() <= bits.mean()}
    return max(shorter, key=shorter.__getitem__, default=None)


def _is_other(axes: Mapping[str, str], own_axes: Mapping[str, str]) -> bool:
    """Tell whether the same clients send another message, without noise or loss."""
    if axes["method"] not in ("one_shot", "fbftl") or axes.get("message") == own_axes["message"]:
        return False
    clients = {axis: own_axes[axis] for axis in OF_CLIENTS & own_axes.keys()}
    return {axis: axes[axis] for axis in axes.keys() - OF_MESSAGE} == clients
