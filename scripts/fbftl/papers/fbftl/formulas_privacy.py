"""Functions of claims of paper 000 (FbFTL) about privacy: entropies of labels."""

from collections.abc import Iterable, Mapping
from itertools import pairwise

from fbftl.papers.fbftl.setup import federation
from fbftl.papers.formulas import Decision, FormulaCase
from fbftl.papers.record import PaperRecord
from fbftl.privacy.label_privacy import batch_entropy, queried_entropy, uniform

NEXT_TO_NOTHING = 0.1
"""Share of the first leakage that the last one is at most, where it is to vanish."""


def _leaked(record: PaperRecord, size: int, clients: int) -> float:
    """Return the bits that shuffled batches of all clients tell about one batch's labels."""
    classes = int(record.number("setup", task="cifar10", quantity="classes"))
    labels = uniform(classes)
    return batch_entropy(labels, size) - queried_entropy(labels, size, clients).mean


def _by_size(record: PaperRecord, sizes: Iterable[int]) -> dict[int, float]:
    samples = federation(record, "cifar10").samples
    return {size: _leaked(record, size, samples // size) for size in sizes}


def _bits(leaked: Mapping[int, float], name: str) -> str:
    return "; ".join(f"{value:.3f} at {name} = {at:,}" for at, value in leaked.items()) + " bits"


def leakage_by_clients(case: FormulaCase) -> Decision:
    """Decide whether a batch of four samples leaks ever less, and at last a tenth of the first."""
    leaked = {int(count): _leaked(case.record, 4, int(count)) for count in case.part.along}
    values = list(leaked.values())
    falls = all(fewer > more for fewer, more in pairwise(values))
    holds = falls and values[-1] < NEXT_TO_NOTHING * values[0]
    return Decision("leakage at K = 4", _bits(leaked, "U"), holds)


def leakage_by_batch(case: FormulaCase) -> Decision:
    """Decide whether ever larger batches of one number of samples leak ever more."""
    leaked = _by_size(case.record, map(int, case.part.along))
    holds = all(less < more for less, more in pairwise(leaked.values()))
    return Decision("leakage at one number of samples", _bits(leaked, "K"), holds)
