"""HeteroFL: clients train slices of one network, as wide as they can."""

from fbftl.study.axes import CLIENTS_PER_ROUND, WIDTHS
from fbftl.study.record import MethodRecord

RECORD = MethodRecord(
    "heterofl", "HeteroFL", "#8C510A", "<", "thesis",
    reads="clients and source",
    sends="local",
    axes=(*WIDTHS, CLIENTS_PER_ROUND),
    compresses=False,
)  # fmt: skip
