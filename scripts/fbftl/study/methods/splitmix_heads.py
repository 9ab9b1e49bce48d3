"""Split-Mix on features: narrow heads on those of the frozen source network."""

from fbftl.study.axes import CUT, RESCALED_INIT, WIDTHS
from fbftl.study.record import MethodRecord

RECORD = MethodRecord(
    "splitmix_heads", "Split-Mix on features", "#C51B7D", "H", "thesis",
    reads="features",
    sends="local",
    axes=(CUT, *WIDTHS, RESCALED_INIT),
    compresses=False,
)  # fmt: skip
