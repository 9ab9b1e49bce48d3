"""What decides sentences of paper survey that need no tests: counts of messages and of work."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

from fbftl.papers.exact import FormulaCase, Function
from fbftl.papers.formulas import Decides, Decision, PaperRecord, alike, each, fewer
from fbftl.papers.quantities import Runs
from fbftl.papers.registry import Sentence
from fbftl.papers.survey import counts

FD = {"method": "fd", "network": "mlp_64", "distillation_weight": 1.0}
FEDMD = {"method": "fedmd", "local_epochs": 5, "transfer_epochs": 40, "digest_rate": 0.3}
FEDHEALTH = {
    "method": "fedhealth",
    "network": "cnn",
    "public_data": "target",
    "adaptation_epochs": 5,
}
FEDAVG = {"method": "fedavg", "network": "mlp"}
FEDVOTE = {"method": "fedvote", "network": "mlp", "vote_candidates": "all", "vote_round": 10}

BITS = "uplink_bits"

BITS_OF_ROUND = "uplink_bits_per_round"
"""Table 2 is of messages, and frameworks have as many rounds as each needs."""


def by_round(decides: Decides) -> Decides:
    """Return what decides a sentence by runs that have the bits of a round, mean over a run's.

    A seed that diverged made fewer rounds than it counts, and is left out.
    """

    def with_rounds(runs: Runs) -> Runs:
        table = runs.table
        if not {BITS, "epoch"} <= set(table):
            return runs
        table = table[~table["diverged"].astype(bool)]
        # The last round is the one that counts, and there is one an epoch.
        return replace(runs, table=table.assign(**{BITS_OF_ROUND: table[BITS] / table["epoch"]}))

    def decide(sentence: Sentence, record: PaperRecord) -> Decision | None:
        return decides(sentence, replace(record, runs=list(map(with_rounds, record.runs))))

    return decide


def of_votes(sentence: Sentence, record: PaperRecord) -> Decision | None:
    """Compare what goes up under FedAvg and FedVote; what goes down is beside it."""
    up, down = (
        alike(column, FEDAVG, FEDVOTE)(sentence, record) for column in (BITS, "downlink_bits")
    )
    if up is None or down is None:
        return up
    return Decision(
        f"{up.quantity}; down, where the source models come in the round of the vote, beside it",
        f"{up.computed}; down {down.computed}",
        up.holds,
    )


def triples(sentence: Sentence, record: PaperRecord) -> Decision:
    """Compare a round of Secure FTL under Paillier with one in shares."""
    parties = counts.ON_DIGITS
    shares, encrypted = counts.beaver(parties), counts.paillier(parties)
    return Decision(
        "multiplications of a round of Secure FTL, in shares and at least under Paillier",
        f"{shares:,}; {encrypted:,}",
        encrypted > shares,
    )


def last_layer(sentence: Sentence, record: PaperRecord) -> Decision:
    """Compare the last dense layer of the simulation's network with all of it."""
    last, whole = counts.weights()
    return Decision(
        "weights of the last dense layer and of all layers, of the simulation's network",
        f"{last:,}; {whole:,}",
        last < whole,
    )


def heaviest(sentence: Sentence, record: PaperRecord) -> Decision:
    """Compare rounds of FedHealth and Secure FTL, encrypted, with those of FedAvg and FedMD."""
    of_parties = counts.paillier(counts.AS_SIMULATED)
    encrypted = {"FedHealth": counts.fedhealth(), "Secure FTL": of_parties}
    plain = {"FedAvg": counts.fedavg(), "FedMD": counts.fedmd()}
    return Decision(
        "multiplications of a client's round on the simulation's network, of Secure FTL at least",
        "; ".join(f"{name} {count:,}" for name, count in (encrypted | plain).items()),
        min(encrypted.values()) > max(plain.values()),
    )


FORMULAS: Mapping[str, Decides] = {
    "s-08": of_votes,
    "s-11": triples,
    "s-14": last_layer,
    "s-16": by_round(fewer(BITS_OF_ROUND, FEDMD, FEDAVG)),
    "s-18": by_round(fewer(BITS_OF_ROUND, FD, FEDAVG)),
    "s-24": by_round(
        each(
            *(
                fewer(BITS_OF_ROUND, distilled, whole)
                for distilled, whole in product((FD, FEDMD), (FEDHEALTH, FEDAVG, FEDVOTE))
            )
        )
    ),
    "s-25": heaviest,
}


def heaviest_rounds(case: FormulaCase) -> Decision:
    """Decide whether encrypted rounds of a client multiply more than plain ones."""
    encrypted = {
        "FedHealth": counts.fedhealth(),
        "Secure FTL": counts.paillier(counts.AS_SIMULATED),
    }
    plain = {"FedAvg": counts.fedavg(), "FedMD": counts.fedmd()}
    return Decision(
        "multiplications of a client's round on the simulation's network, of Secure FTL at least",
        "; ".join(f"{name} {count:,}" for name, count in (encrypted | plain).items()),
        min(encrypted.values()) > max(plain.values()),
    )


FUNCTIONS: Mapping[str, Function] = {"heaviest": heaviest_rounds}
