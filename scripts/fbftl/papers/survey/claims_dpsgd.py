"""Claims about DP-SGD (paper survey, experiment 2)."""

from itertools import pairwise

from fbftl.papers.claims import BySeed, Claim, Runs

EPSILONS = (1.0, 4.0, 16.0, None)
"""From the strictest to no noise."""


def accuracy(runs: Runs, epsilon: float | None) -> BySeed:
    """Return the accuracy of the survey's CNN at an epsilon per sample, None without noise."""
    noise = {} if epsilon is None else {"mechanism": "dp_fedavg", "epsilon": epsilon}
    return runs.accuracy(method="fl", network="mnist_example", **noise)


def _written(epsilon: float | None) -> str:
    return "no noise" if epsilon is None else f"ε = {epsilon:g}"


DPSGD = tuple(
    Claim(
        f"DP-SGD is less accurate at {_written(less)} than at {_written(more)}",
        "Experiment 2",
        lambda r, less=less, more=more: (accuracy(r, less), accuracy(r, more)),
    )
    for less, more in pairwise(EPSILONS)
)
