"""SCAFFOLD: FedAvg with control variates at server and clients."""

from fbftl.study.axes import BY_ROUNDS
from fbftl.study.record import MethodRecord

RECORD = MethodRecord(
    "scaffold", "SCAFFOLD", "#5E4FA2", "$C$", "rivals",
    place=100,
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, "network", "local_epochs", "most_samples"),
    compresses=False,
)  # fmt: skip
