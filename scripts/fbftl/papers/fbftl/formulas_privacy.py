"""What decides sentences of paper 000 (FbFTL) about privacy: entropies of labels, an accountant."""

from collections.abc import Iterable, Mapping
from itertools import pairwise

from fbftl.findings.published import lookup
from fbftl.findings.sentence_rule import COST
from fbftl.papers.exact import FormulaCase, Function
from fbftl.papers.fbftl.setup import epochs, federation
from fbftl.papers.formulas import Decides, Decision, PaperRecord
from fbftl.papers.registry import Sentence
from fbftl.privacy.accounting import gaussian_epsilon, rounds_epsilon
from fbftl.privacy.label_privacy import batch_entropy, queried_entropy, uniform

CLIENTS = (100, 1000, 10_000, 100_000)
"""U at which Lemma 2 is evaluated."""

TRAININGS = (1, 2, 4)
"""How often a training is repeated with all its iterations, as to find a rate."""

UNIT_NOISE = 1.0
"""σ at the smallest K, the change of one sample; ours, as the sentence is about any fixed one."""


def _leaked(record: PaperRecord, size: int, clients: int) -> float:
    """Return the bits that shuffled batches of all clients tell about one batch's labels."""
    classes = int(lookup(record.published["setup"], task="cifar10", quantity="classes"))
    labels = uniform(classes)
    return batch_entropy(labels, size) - queried_entropy(labels, size, clients).mean


def _by_size(record: PaperRecord, sizes: Iterable[int]) -> dict[int, float]:
    samples = federation(record.published["setup"], "cifar10").samples
    return {size: _leaked(record, size, samples // size) for size in sizes}


def _bits(leaked: Mapping[int, float], name: str) -> str:
    return "; ".join(f"{value:.3f} at {name} = {at:,}" for at, value in leaked.items()) + " bits"


def _small_batches(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by what small batches leak, beside their entropy."""
    leaked = _by_size(record, (1, 2, 4))
    classes = int(lookup(record.published["setup"], task="cifar10", quantity="classes"))
    holds = all(
        value <= COST * batch_entropy(uniform(classes), size) for size, value in leaked.items()
    )
    return Decision(f"leakage, a share of {COST:g} at most", _bits(leaked, "K"), holds)


def _more_batches(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by Lemma 2's leakage over ever more clients of four samples."""
    leaked = {clients: _leaked(record, 4, clients) for clients in CLIENTS}
    values = list(leaked.values())
    falls = all(fewer > more for fewer, more in pairwise(values))
    return Decision(
        f"leakage at K = 4, to {COST:g} of the first at most",
        _bits(leaked, "U"),
        falls and values[-1] < COST * values[0],
    )


def _larger_batches(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by the leakage of ever larger batches."""
    leaked = _by_size(record, (1, 4, 8, 16))
    holds = all(less < more for less, more in pairwise(leaked.values()))
    return Decision("leakage at one number of samples", _bits(leaked, "K"), holds)


def _accounted(sentence: Sentence, record: PaperRecord) -> Decision:
    """Decide by the accountant at one noise factor σ R, C and δ, over K and over iterations I.

    R of an update has K in its denominator, so that σ grows as K does. One release of FbFTL's
    features has neither K nor I.
    """
    table, clients = record.published["table3"], federation(record.published["setup"], "cifar10")
    delta = float(lookup(record.published["statements"], quantity="delta"))
    iterations = round(clients.rounds(epochs(table, clients.clients, method="ftl_c")))
    sizes = sorted(map(int, record.published["fig12"]["samples_per_client"].unique()))
    rate = clients.clients_per_round / clients.clients

    def epsilon(size: int, rounds: int) -> float:
        sigma = UNIT_NOISE * size / sizes[0]
        return rounds_epsilon(sigma, delta, rate=rate, rounds=rounds)

    by_size = {size: epsilon(size, iterations) for size in sizes}
    by_rounds = {times * iterations: epsilon(sizes[0], times * iterations) for times in TRAININGS}
    shown = [f"{value:.3g} at K = {size}" for size, value in by_size.items()]
    shown += [f"{value:.3g} at I = {rounds:,}" for rounds, value in by_rounds.items()]
    once = gaussian_epsilon(UNIT_NOISE, delta, "zero-out")
    holds = all(less > more for less, more in pairwise(by_size.values())) and all(
        less < more for less, more in pairwise(by_rounds.values())
    )
    return Decision(
        "epsilon of FedAvg at one σR, δ and C; FbFTL's release has neither K nor I",
        "; ".join(shown) + f"; FbFTL {once:.3g}",
        holds,
    )


PRIVACY: Mapping[str, Decides] = {
    "fbftl-37": _small_batches,
    "fbftl-40": _more_batches,
    "fbftl-41": _larger_batches,
    "fbftl-46": _accounted,
}


def leakage_by_clients(case: FormulaCase) -> Decision:
    """Decide whether a batch of four samples leaks ever less, and at last a tenth of the first."""
    leaked = {int(count): _leaked(case.record, 4, int(count)) for count in case.part.along}
    values = list(leaked.values())
    falls = all(fewer > more for fewer, more in pairwise(values))
    holds = falls and values[-1] < COST * values[0]
    return Decision("leakage at K = 4", _bits(leaked, "U"), holds)


def leakage_by_batch(case: FormulaCase) -> Decision:
    """Decide whether ever larger batches of one number of samples leak ever more."""
    leaked = _by_size(case.record, map(int, case.part.along))
    holds = all(less < more for less, more in pairwise(leaked.values()))
    return Decision("leakage at one number of samples", _bits(leaked, "K"), holds)


FUNCTIONS: Mapping[str, Function] = {
    "leakage_by_clients": leakage_by_clients,
    "leakage_by_batch": leakage_by_batch,
}
