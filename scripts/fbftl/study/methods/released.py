"""The public script of paper fbftl, as it was released."""

from collections.abc import Iterator

from fbftl.study.axes import CLIENTS
from fbftl.study.axis import AxisValues
from fbftl.study.record import MethodRecord


def faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself."""
    if setting.plr > 0 and setting.loss != "reshuffled":
        yield "is as released, where losses come back; give plr with loss: reshuffled"


RECORD = MethodRecord(
    "released", "public script", "#56B4E9", "P", "fbftl",
    place=70,
    reads="clients and source",
    sends="nothing",
    axes=("cut", *CLIENTS, "plr", "loss"),
    compresses=False,
    faults=faults,
)  # fmt: skip
