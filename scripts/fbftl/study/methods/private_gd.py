"""Private GD: a trusted server takes noisy full-batch steps on uploaded features."""

from typing import Any

from fbftl.study.axes import CLIENTS, NOISE, SCHEDULE
from fbftl.study.axis import Axis, AxisValues, Needs, Numbers
from fbftl.study.record import MethodRecord

NOISY = Needs("mechanism dp_gd", lambda setting: setting.mechanism == "dp_gd")

AXES = (
    Axis("descent_steps", int, 100, "noisy full-batch steps T.", Numbers(least=1, most=100_000)),
    Axis(
        "descent_momentum", float, 0.0,
        "bias-corrected momentum beta of noisy steps.",
        Numbers(least=0, below=1),
    ),
    Axis(
        "neighbour_relation", str, "removed",
        "what epsilon of a server's noisy steps is for: one row removed while the divisor stays, "
        "or one replaced.",
        ("removed", "replaced"),
        (NOISY,),
    ),
)  # fmt: skip


def together(setting: AxisValues) -> tuple[Any, ...]:
    """Return what settings have in common that train in one process: their steps."""
    return setting.descent_steps, setting.descent_momentum, setting.mechanism


RECORD = MethodRecord(
    "private_gd", "private GD", "#8C564B", "X", "thesis",
    reads="features",
    sends="once",
    axes=(*CLIENTS, *NOISE, *SCHEDULE, *AXES),
    mechanisms=("none", "dp_gd"),
    public=True,
    privacy=("public_scale",),
    together=together,
)  # fmt: skip
