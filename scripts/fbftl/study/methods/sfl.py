"""SFL: the network is split between clients and server."""

from fbftl.study.axes import BY_ROUNDS
from fbftl.study.record import MethodRecord

RECORD = MethodRecord(
    "sfl", "SFL", "#E69F00", "v", "fbftl",
    place=20,
    reads="clients and source",
    sends="rounds",
    axes=(*BY_ROUNDS, "network"),
    compresses=False,
    cost="sfl",
)  # fmt: skip
