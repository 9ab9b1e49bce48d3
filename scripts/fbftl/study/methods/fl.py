"""FL: clients train the whole network, by rounds."""

from fbftl.study.axes import BY_ROUNDS
from fbftl.study.record import MethodRecord

RECORD = MethodRecord(
    "fl", "FL", "#CC79A7", "D", "fbftl",
    place=10,
    reads="clients and source",
    sends="rounds",
    axes=(*BY_ROUNDS, "clients_per_round", "network"),
    mechanisms=("none", "relative", "dp_fedavg"),
    cost="fl",
)  # fmt: skip
