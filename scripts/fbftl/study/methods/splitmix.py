"""Split-Mix: narrow networks, each trained by the clients that can, and combined to any width."""

from fbftl.study.axes import RESCALED_INIT, WIDTHS
from fbftl.study.record import MethodRecord

RECORD = MethodRecord(
    "splitmix", "Split-Mix", "#7A0177", "8", "thesis",
    reads="clients and source",
    sends="local",
    axes=(*WIDTHS, RESCALED_INIT),
    compresses=False,
)  # fmt: skip
