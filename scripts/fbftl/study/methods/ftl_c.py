"""FTL_c: clients train a head on features of the frozen source network, by rounds."""

from fbftl.study.axes import BY_ROUNDS
from fbftl.study.record import MethodRecord

RECORD = MethodRecord(
    "ftl_c", "FTL_c", "#0072B2", "s", "fbftl",
    place=40,
    reads="features",
    sends="rounds",
    axes=("cut", *BY_ROUNDS, "clients_per_round"),
    mechanisms=("none", "relative", "dp_fedavg"),
    cost="ftl_c",
    kinds=("images", "dialogues"),
)  # fmt: skip
