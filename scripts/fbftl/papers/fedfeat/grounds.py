"""On what tasks, and on what networks there, sentences of paper fedfeat (FedFeat+) are compared."""

from dataclasses import replace

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


def grounded(sentence: str, compared: Compared) -> Compared:
    """Return what compares on the tasks alone that a sentence is about, and where FedAvg learns."""
    data = ON.get(sentence, "")

    def sides(runs: Runs) -> Sides:
        task = runs.task or data
        another = not data and task.startswith(MNIST)
        if another or not task.startswith(data):
            return NOTHING, NOTHING
        return compared(_with_pair(_where_fedavg_learns(runs)))

    return sides


def unless_both_guess(compared: Compared) -> Compared:
    """Return what compares two accuracies unless both are those of a guess in the mean."""

    def sides(runs: Runs) -> Sides:
        one, other = compared(runs)
        both_guess = max(one.values.mean(), other.values.mean()) <= GUESS
        return (NOTHING, NOTHING) if both_guess else (one, other)

    return sides


def _with_pair(runs: Runs) -> Runs:
    """Return runs in which the step that belongs to a task's clients is found as `PAIRED`."""
    if "server_step" not in runs.table:
        return runs
    by_step = runs.table["server_step"]
    paired = runs.table[by_step == (PRINTED if (by_step == PRINTED).any() else RELEASED)]
    return replace(runs, table=pd.concat([runs.table, paired.assign(server_step=PAIRED)]))


def _where_fedavg_learns(runs: Runs) -> Runs:
    """Return the runs without cells in which a seed of FedAvg does no better than a guess.

    What is added to a network that learns nothing neither gains nor costs. A seed that diverged is
    no guess: it counts as 0.
    """
    table = runs.table
    if "test_accuracy" not in table:
        return runs
    cells = table.reindex(columns=CELL).astype(str).agg(" ".join, axis=1)
    guesses = (100 * table["test_accuracy"] <= GUESS) & ~table["diverged"].astype(bool)
    without = set(cells[(table["method"] == "fedavg") & guesses])
    return replace(runs, table=table[~cells.isin(without)])
