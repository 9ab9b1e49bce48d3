"""Split-Mix: narrow networks, each trained by the clients that can, and combined to any width."""

from fbftl.study.axes import WIDTHS
from fbftl.study.record import MethodRecord, normalised_faults

RECORD = MethodRecord(
    "splitmix", "Split-Mix", "#7A0177", "8", "thesis",
    place=200,
    reads="clients and source",
    sends="local",
    axes=(*WIDTHS, "rescaled_init", "clients_per_round", "rescaled_layers"),
    compresses=False,
    task_faults=normalised_faults,
)  # fmt: skip
