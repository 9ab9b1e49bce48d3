"""SCAFFOLD: FedAvg with control variates at server and clients."""

from fbftl.study.axes import BY_ROUNDS, LOCAL_EPOCHS, MOST_SAMPLES, NETWORK
from fbftl.study.record import MethodRecord

RECORD = MethodRecord(
    "scaffold", "SCAFFOLD", "#5E4FA2", "$C$", "rivals",
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, NETWORK, LOCAL_EPOCHS, MOST_SAMPLES),
    compresses=False,
)  # fmt: skip
