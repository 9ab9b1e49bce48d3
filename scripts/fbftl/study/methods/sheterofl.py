"""SHeteroFL: clients train all slices inside their own of one network."""

from fbftl.study.axes import WIDTHS
from fbftl.study.record import MethodRecord

RECORD = MethodRecord(
    "sheterofl", "SHeteroFL", "#5AAE61", ">", "thesis",
    place=240,
    reads="clients and source",
    sends="local",
    axes=(*WIDTHS, "clients_per_round"),
    compresses=False,
)  # fmt: skip
