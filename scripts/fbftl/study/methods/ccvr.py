"""CCVR: FedAvg whose server calibrates the classifier on features drawn from statistics."""

from fbftl.study.axes import BY_ROUNDS, SUMS
from fbftl.study.record import MethodRecord

RECORD = MethodRecord(
    "ccvr", "CCVR", "#999933", "p", "fedfeat",
    place=160,
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, "network", "local_epochs", "server_epochs", *SUMS),
    compresses=False,
)  # fmt: skip
