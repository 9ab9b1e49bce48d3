"""Split-Mix on features: narrow heads on those of the frozen source network."""

from fbftl.study.axes import CLIENTS_PER_ROUND, CUT, RESCALED_INIT, RESCALED_LAYERS, WIDTHS
from fbftl.study.record import MethodRecord
from fbftl.study.rescaling import normalised_faults

RECORD = MethodRecord(
    "splitmix_heads", "Split-Mix on features", "#C51B7D", "H", "thesis",
    reads="features",
    sends="local",
    axes=(CUT, *WIDTHS, RESCALED_INIT, CLIENTS_PER_ROUND, RESCALED_LAYERS),
    compresses=False,
    task_faults=normalised_faults,
)  # fmt: skip
