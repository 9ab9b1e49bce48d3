"""On what tasks, and on what networks there, sentences of paper fedfeat (FedFeat+) are compared."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from fbftl.papers.fedfeat.settings import PAIRED, PRINTED, RELEASED
from fbftl.papers.quantities import NOTHING, Compared, Runs, Sides

CIFAR10, MNIST = "cifar10", "mnist"
"""What tasks of a data set begin with."""

ON = {
    **dict.fromkeys(("fedfeat-01", "fedfeat-02", "fedfeat-20"), CIFAR10),
    **dict.fromkeys(("fedfeat-11", "fedfeat-12"), MNIST),
}
"""Sentences whose numbers are of one data set. All others are tried on the digits and on CIFAR-10:
of MNIST the paper says no more than these, and has numbers there against some of the others."""

GUESS = 12.0
"""Accuracy in percent that one answer to all samples does not exceed: of ten classes none has a
larger share of a test set here; the largest, of MNIST's ones, has 11.6."""

CELL = ("partition", "network", "clients_per_round")
"""Axes of FedAvg that say what FedFeat+ is compared with."""

OF_FEATURES = ("fedfeat-21", "fedfeat-22", "fedfeat-25")
"""Sentences on what FedFeat+ sends, whatever FedAvg does."""


def grounded(sentence: str, compared: Compared) -> Compared:
    """Return what compares on the tasks alone that a sentence is about, and where FedAvg learns.

    What is added to a network that guesses neither gains nor costs. That FedFeat+ guesses where
    FedAvg learns is a loss, and counts.
    """
    data = ON.get(sentence, "")

    def sides(runs: Runs) -> Sides:
        task = runs.task or data
        another = not data and task.startswith(MNIST)
        if another or not task.startswith(data):
            return NOTHING, NOTHING
        paired = _with_pair(runs)
        return compared(paired if sentence in OF_FEATURES else _where_fedavg_learns(paired))

    return sides


def unless_all_guess(compared: Compared, *settings: Mapping[str, Any]) -> Compared:
    """Return what compares the same unless all of these settings guess in the mean."""

    def sides(runs: Runs) -> Sides:
        means = [runs.accuracy(**setting).values.mean() for setting in settings]
        return (NOTHING, NOTHING) if all(mean <= GUESS for mean in means) else compared(runs)

    return sides


def _with_pair(runs: Runs) -> Runs:
    """Return runs in which the step that belongs to a task's clients is found as `PAIRED`.

    No task of a full study has both the printed and the released step.
    """
    if "server_step" not in runs.table:
        return runs
    by_step = runs.table["server_step"]
    paired = runs.table[by_step == (PRINTED if (by_step == PRINTED).any() else RELEASED)]
    return replace(runs, table=pd.concat([runs.table, paired.assign(server_step=PAIRED)]))


def _where_fedavg_learns(runs: Runs) -> Runs:
    """Return the runs without cells in which a seed of FedAvg does no better than a guess."""
    if "test_accuracy" not in runs.table:
        return runs
    table = runs.table
    cells = table.reindex(columns=CELL).astype(str).agg(" ".join, axis=1)
    # A seed that diverged counts as 0, which is no guess.
    guesses = (100 * table["test_accuracy"] <= GUESS) & ~table["diverged"].astype(bool)
    without = set(cells[guesses & (table["method"] == "fedavg")])
    return replace(runs, table=table[~cells.isin(without)])
