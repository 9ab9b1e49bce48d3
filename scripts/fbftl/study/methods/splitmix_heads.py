"""Split-Mix on features: narrow heads on those of the frozen source network."""

from fbftl.study.axes import WIDTHS
from fbftl.study.record import MethodRecord, normalised_faults

RECORD = MethodRecord(
    "splitmix_heads", "Split-Mix on features", "#C51B7D", "H", "thesis",
    place=210,
    reads="features",
    sends="local",
    axes=("cut", *WIDTHS, "rescaled_init", "clients_per_round", "rescaled_layers"),
    compresses=False,
    task_faults=normalised_faults,
)  # fmt: skip
