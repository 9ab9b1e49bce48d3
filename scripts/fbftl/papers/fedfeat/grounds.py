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


OF_FEATURES = ("fedfeat-21", "fedfeat-22", "fedfeat-25")
"""Sentences on what FedFeat+ sends, whatever FedAvg does."""

OF_CURVES = ("fedfeat-18",)
"""Those on how curves of both methods go."""


def grounded(sentence: str, compared: Compared) -> Compared:
    """Return what compares on the tasks alone that a sentence is about, and where networks learn.

    A network that guesses has neither features nor a curve to speak of, and what is added to one
    neither gains nor costs. That FedFeat+ guesses where FedAvg learns is a loss, and counts.
    """
    data = ON.get(sentence, "")

    def sides(runs: Runs) -> Sides:
        task = runs.task or data
        another = not data and task.startswith(MNIST)
        if another or not task.startswith(data):
            return NOTHING, NOTHING
        paired = _with_pair(runs)
        if sentence not in OF_FEATURES:
            paired = _where_fedavg_learns(paired)
        if sentence in OF_FEATURES + OF_CURVES:
            paired = _where_features_tell(paired)
        return compared(paired)

    return sides


def unless_both_guess(compared: Compared) -> Compared:
    """Return what compares two accuracies unless both are those of a guess in the mean."""

    def sides(runs: Runs) -> Sides:
        one, other = compared(runs)
        both_guess = max(one.values.mean(), other.values.mean()) <= GUESS
        return (NOTHING, NOTHING) if both_guess else (one, other)

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
    cells = runs.table.reindex(columns=CELL).astype(str).agg(" ".join, axis=1)
    without = set(cells[_guesses_of(runs, "fedavg")])
    return replace(runs, table=runs.table[~cells.isin(without)])


def _where_features_tell(runs: Runs) -> Runs:
    """Return the runs without settings of FedFeat+ of which a seed does no better than a guess."""
    if "test_accuracy" not in runs.table:
        return runs
    settings = runs.table["setting"]
    without = set(settings[_guesses_of(runs, "fedfeat")])
    return replace(runs, table=runs.table[~settings.isin(without)])


def _guesses_of(runs: Runs, method: str) -> pd.Series:
    """Return which rows are a method's guesses. A seed that diverged is none: it counts as 0."""
    table = runs.table
    guesses = (100 * table["test_accuracy"] <= GUESS) & ~table["diverged"].astype(bool)
    return guesses & (table["method"] == method)
