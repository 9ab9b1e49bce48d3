"""Private GD: a trusted server takes noisy full-batch steps on uploaded features."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from fbftl.study.axes import CLIENTS, NOISE, SCHEDULE
from fbftl.study.axis import Axes, AxisValues, Needs
from fbftl.study.model.block import Positive, Rate
from fbftl.study.record import MethodRecord, alike_in

NOISY = Needs("mechanism dp_gd", lambda setting: setting.mechanism == "dp_gd")


class PrivateGDAxes(Axes):
    """Axes of private GD alone.

    descent_steps: noisy full-batch steps T.
    descent_momentum: bias-corrected momentum beta of noisy steps.
    neighbour_relation: adjacency of epsilon of a server's noisy steps: one sample removed with
        the divisor kept, or one replaced.
    data_scale: largest L2 norm of inputs; none takes privacy.public_scale.norm.
    louder_step: step, from 1, whose noise is twice that of the schedule, to measure how much the
        step matters at the end; none leaves the schedule.
    """

    descent_steps: Annotated[int, Field(ge=1, le=100_000)] = 100
    descent_momentum: Rate = 0.0
    neighbour_relation: Annotated[Literal["removed", "replaced"], NOISY] = "removed"
    data_scale: Positive | None = None
    louder_step: Annotated[Annotated[int, Field(ge=1, le=100_000)] | None, NOISY] = None


def faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself."""
    if setting.louder_step is not None and setting.louder_step > setting.descent_steps:
        yield (
            f"has more noise at step {setting.louder_step} of {setting.descent_steps}; give "
            "louder_step at most descent_steps"
        )


RECORD = MethodRecord(
    "private_gd", "private GD", "#8C564B", "X", "thesis",
    place=180,
    reads="features",
    sends="once",
    axes=(*CLIENTS, *NOISE, *SCHEDULE, PrivateGDAxes),
    mechanisms=("none", "dp_gd"),
    public=True,
    privacy=("public_scale",),
    faults=faults,
    together=alike_in("descent_steps", "descent_momentum", "mechanism", "data_scale"),
    ignores=("epochs", "momentum"),
)  # fmt: skip
