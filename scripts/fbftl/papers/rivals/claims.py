"""Functions of claims of one-shot rivals: identities of heads, and a count, which need no runs.

Each identity is computed with the heads and statistics that studies solve and send, on samples that
are drawn here: no partition of the same samples may give other weights, nothing being held out.
"""

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from fbftl.findings.published import Verdict, formula_verdict
from fbftl.findings.uploads import HEADS
from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.statistics import Statistics
from fbftl.papers.formulas import Decision, FormulaCase
from fbftl.papers.rivals.audit import MEGABYTE
from fbftl.training.closed_form import LinearHead, afl, fedcgs, fedncm, ridge

CLASSES, WIDTH, SAMPLES = 10, 16, 1024

EQUAL = 1e-8
"""Greatest difference of weights that counts as none, over the greatest weight: sums of floats."""

COUNTS = (1, 2, 32, 1024)
"""Numbers of clients."""

SKEWS = (0.1, 1.0, 10.0)
"""Concentrations of Dirichlet partitions."""


Clients = list[np.ndarray]
"""The rows of each client."""


def _samples() -> tuple[np.ndarray, np.ndarray]:
    """Return samples of normal classes (n, d) with their labels (n,)."""
    draws = np.random.default_rng(0)
    labels = draws.integers(CLASSES, size=SAMPLES)
    centres = draws.normal(size=(CLASSES, WIDTH))
    return centres[labels] + draws.normal(size=(SAMPLES, WIDTH)), labels


def by_count(clients: int) -> Clients:
    """Return an even partition of the samples, in an order of its own."""
    order = np.random.default_rng(clients).permutation(SAMPLES)
    return np.array_split(order, clients)


def by_skew(alpha: float, labels: np.ndarray, clients: int = 32) -> Clients:
    """Return a partition under which each class is spread by a Dirichlet draw."""
    draws = np.random.default_rng(round(10 * alpha))
    owner = np.empty(SAMPLES, dtype=int)
    for label in range(CLASSES):
        rows = np.flatnonzero(labels == label)
        owner[rows] = draws.choice(clients, size=len(rows), p=draws.dirichlet([alpha] * clients))
    return [np.flatnonzero(owner == client) for client in range(clients)]


def summed(partition: Iterable[np.ndarray], values: np.ndarray, labels: np.ndarray) -> Statistics:
    """Return the sum of the clients' statistics, in their order."""
    total = Statistics.nothing(CLASSES, WIDTH)
    for rows in partition:
        total = total + Statistics.of(values[rows], labels[rows], CLASSES)
    return total


def pairwise_law(
    partition: Iterable[np.ndarray], values: np.ndarray, labels: np.ndarray, gamma: float = 1.0
) -> np.ndarray:
    """Return the weights (d, N) that AFL's law makes of its clients' ridge solutions.

    Two solutions W_a and W_u of scatters C_a and C_u, each with gamma I added, merge to
    C^-1 (C_a W_a + C_u W_u), C = C_a + C_u; at the end the added parts are taken off again
    (arXiv 2405.16240).
    """
    gram, weights, clients = np.zeros((WIDTH, WIDTH)), np.zeros((WIDTH, CLASSES)), 0
    for rows in partition:
        inputs, targets = values[rows], np.eye(CLASSES)[labels[rows]]
        client_gram = inputs.T @ inputs + gamma * np.eye(WIDTH)
        solved = np.linalg.solve(client_gram, inputs.T @ targets)
        weights = np.linalg.solve(gram + client_gram, gram @ weights + client_gram @ solved)
        gram, clients = gram + client_gram, clients + 1
    return np.linalg.solve(gram - clients * gamma * np.eye(WIDTH), gram @ weights)


def _farthest(heads: list[np.ndarray]) -> float:
    """Return the greatest difference from the first weights, over the greatest of these."""
    first = heads[0]
    return max(float(np.abs(head - first).max()) for head in heads) / float(np.abs(first).max())


def _decision(quantity: str, heads: list[np.ndarray]) -> Decision:
    farthest = _farthest(heads)
    return Decision(
        f"{quantity}: greatest difference of weights over the greatest weight",
        f"{farthest:.1g} over {len(heads)} partitions",
        farthest <= EQUAL,
    )


def _weights(head: LinearHead) -> np.ndarray:
    return np.concatenate([head.weights, head.bias[:, None]], axis=1)


SOLVED: Mapping[str, Callable[[Statistics], LinearHead]] = {
    "fedncm": lambda sums: fedncm(sums.counts, sums.sums).head,
    "fed3r": lambda sums: ridge(sums, [0.01]).head,
    "fedcgs": lambda sums: fedcgs(sums).head,
}
"""Heads that are solved from summed statistics."""


def _partitions(kind: str, labels: np.ndarray) -> list[Clients]:
    """Return partitions of the samples by number of clients, by skew, or those in another order."""
    if kind == "skews":
        return [by_skew(alpha, labels) for alpha in SKEWS]
    counted = [by_count(count) for count in COUNTS]
    return [of[::-1] for of in counted] if kind == "orders" else counted


def same_head(case: FormulaCase) -> Decision:
    """Decide whether a head of summed statistics is the same for every partition."""
    values, labels = _samples()
    partitions = [by_count(1), *_partitions(case.part.values["partition"], labels)]
    heads = [_weights(SOLVED[case.a](summed(each, values, labels))) for each in partitions]
    return _decision(HEADS[case.a], heads)


def same_by_law(case: FormulaCase) -> Decision:
    """Decide whether AFL's pairwise law gives the head that is solved from sums, by partition."""
    values, labels = _samples()
    heads = [afl(summed(by_count(1), values, labels)).head.weights.T]
    partitions = _partitions(case.part.values["partition"], labels)
    heads += [pairwise_law(each, values, labels) for each in partitions]
    return _decision("AFL's law and its sum", heads)


def second_moments(case: FormulaCase) -> Decision:
    """Decide by shapes: a whole d x d matrix of each client beside class means, at printed digits.

    How many classes a client has is not printed, so that the megabytes of class means are.
    """
    stated = case.record.numbers("statements")
    width, clients = int(stated["mobilenet_v2_width"]), int(stated["inaturalist_clients"])
    means = float(stated["fedncm_inaturalist_uplink"])
    whole = clients * width**2 * FLOAT_BITS / 8 / MEGABYTE + means
    verdicts = {
        formula_verdict(whole, str(stated["fed3r_inaturalist_uplink"]), "MB"),
        formula_verdict(whole / means, case.margin, "times"),
    }
    return Decision(
        "Fed3R's whole matrices and class means over class means, by shapes",
        f"{whole:,.0f} MB, {whole / means:.1f} times",
        verdicts == {Verdict.REPRODUCED},
    )
