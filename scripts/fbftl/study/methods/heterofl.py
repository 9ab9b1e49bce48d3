"""HeteroFL: clients train slices of one network, as wide as they can."""

from fbftl.study.axes import WIDTHS
from fbftl.study.record import MethodRecord

RECORD = MethodRecord(
    "heterofl", "HeteroFL", "#8C510A", "<", "thesis",
    place=230,
    reads="clients and source",
    sends="local",
    axes=(*WIDTHS, "clients_per_round"),
    compresses=False,
)  # fmt: skip
