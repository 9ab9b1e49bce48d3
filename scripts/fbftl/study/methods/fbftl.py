"""FbFTL: clients upload features once, on which the server trains the head."""

from fbftl.study.axes import CLIENTS, COMPRESSION, LINK, NOISE, OF_FEATURES
from fbftl.study.record import MethodRecord, alike_in

RECORD = MethodRecord(
    "fbftl", "FbFTL", "#D55E00", "o", "fbftl",
    place=50,
    reads="features",
    sends="once",
    axes=("cut", *CLIENTS, "clients_per_round", *LINK, "loss", *COMPRESSION, *NOISE, *OF_FEATURES),
    mechanisms=("none", "relative", "gaussian"),
    cost="fbftl",
    kinds=("images", "dialogues"),
    together=alike_in("noise_draw"),
)  # fmt: skip
