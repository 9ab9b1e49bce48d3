"""FTL_f: clients fine-tune the whole source network, by rounds."""

from fbftl.study.axes import BY_ROUNDS
from fbftl.study.record import MethodRecord

RECORD = MethodRecord(
    "ftl_f", "FTL_f", "#009E73", "^", "fbftl",
    place=30,
    reads="clients and source",
    sends="rounds",
    axes=(*BY_ROUNDS, "clients_per_round"),
    mechanisms=("none", "relative", "dp_fedavg"),
    cost="ftl_f",
    kinds=("images", "dialogues"),
)  # fmt: skip
