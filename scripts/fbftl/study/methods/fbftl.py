"""FbFTL: clients upload features once, on which the server trains the head."""

from typing import Any

from fbftl.study.axes import CLIENTS, COMPRESSION, LINK, NOISE, OF_FEATURES
from fbftl.study.axis import AxisValues
from fbftl.study.record import MethodRecord


def together(setting: AxisValues) -> tuple[Any, ...]:
    """Return what settings have in common that train in one process: heads step together."""
    return (setting.noise_draw,)


RECORD = MethodRecord(
    "fbftl", "FbFTL", "#D55E00", "o", "fbftl",
    place=50,
    reads="features",
    sends="once",
    axes=("cut", *CLIENTS, "clients_per_round", *LINK, "loss", *COMPRESSION, *NOISE, *OF_FEATURES),
    mechanisms=("none", "relative", "gaussian"),
    cost="fbftl",
    kinds=("images", "dialogues"),
    together=together,
)  # fmt: skip
