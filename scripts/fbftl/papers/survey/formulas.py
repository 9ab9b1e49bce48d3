"""What decides sentences of paper survey that need no tests: counts of messages and of work."""

from collections.abc import Mapping
from itertools import product

from fbftl.papers.formulas import Decides, Decision, PaperRecord, alike, each, fewer
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


def triples(sentence: Sentence, record: PaperRecord) -> Decision:
    """Compare a round of Secure FTL under Paillier with one in shares."""
    shares, encrypted = counts.beaver(), counts.paillier()
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
    encrypted = {"FedHealth": counts.fedhealth(), "Secure FTL": counts.paillier()}
    plain = {"FedAvg": counts.fedavg(), "FedMD": counts.fedmd()}
    return Decision(
        "multiplications of a client's round on the simulation's network, of Secure FTL at least",
        "; ".join(f"{name} {count:,}" for name, count in (encrypted | plain).items()),
        min(encrypted.values()) > max(plain.values()),
    )


FORMULAS: Mapping[str, Decides] = {
    "s-08": alike(BITS, FEDAVG, FEDVOTE),
    "s-11": triples,
    "s-14": last_layer,
    "s-16": fewer(BITS, FEDMD, FEDAVG),
    "s-18": fewer(BITS, FD, FEDAVG),
    "s-24": each(
        *(
            fewer(BITS, distilled, whole)
            for distilled, whole in product((FD, FEDMD), (FEDHEALTH, FEDAVG, FEDVOTE))
        )
    ),
    "s-25": heaviest,
}
