"""What decides sentences of paper survey that need no tests: counts of messages."""

from collections.abc import Mapping

from fbftl.papers.formulas import Decides, alike, fewer

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

FORMULAS: Mapping[str, Decides] = {
    "s-08": alike(BITS, FEDAVG, FEDVOTE),
    "s-16": fewer(BITS, FEDMD, FEDAVG),
    "s-18": fewer(BITS, FD, FEDAVG),
    "s-24": fewer(BITS, FD, FEDMD, FEDHEALTH, FEDAVG),
}
