"""CCVR: FedAvg whose server calibrates the classifier on features drawn from statistics."""

from fbftl.study.axes import BY_ROUNDS, LOCAL_EPOCHS, NETWORK, SERVER_EPOCHS, SUMS
from fbftl.study.record import MethodRecord

RECORD = MethodRecord(
    "ccvr", "CCVR", "#999933", "p", "fedfeat",
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, NETWORK, LOCAL_EPOCHS, SERVER_EPOCHS, *SUMS),
    compresses=False,
)  # fmt: skip
