"""Private GD: a trusted server takes noisy full-batch steps on uploaded features."""

from collections.abc import Iterator
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
    Axis(
        "data_scale", float, None,
        "largest L2 norm of inputs; none takes privacy.public_scale.norm.",
        Numbers(above=0, most=1_000_000),
    ),
    Axis(
        "louder_step", int, None,
        "step, from 1, whose noise is twice as strong as the schedule has it, which shows how much "
        "the step matters at the end; none leaves the schedule.",
        Numbers(least=1, most=100_000),
        (NOISY,),
    ),
)  # fmt: skip


def faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself."""
    if setting.louder_step is not None and setting.louder_step > setting.descent_steps:
        yield (
            f"has more noise at step {setting.louder_step} of {setting.descent_steps}; give "
            "louder_step at most descent_steps"
        )


def together(setting: AxisValues) -> tuple[Any, ...]:
    """Return what settings have in common that train in one process: their steps and inputs."""
    return setting.descent_steps, setting.descent_momentum, setting.mechanism, setting.data_scale


RECORD = MethodRecord(
    "private_gd", "private GD", "#8C564B", "X", "thesis",
    reads="features",
    sends="once",
    axes=(*CLIENTS, *NOISE, *SCHEDULE, *AXES),
    mechanisms=("none", "dp_gd"),
    public=True,
    privacy=("public_scale",),
    faults=faults,
    together=together,
)  # fmt: skip
