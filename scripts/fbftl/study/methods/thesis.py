"""Methods of the thesis: noisy descent, and networks of every width; FADE and ECOS lie beside."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from fbftl.study.axes import CLIENTS, NOISE, SCHEDULE, SHARED, WIDTHS, Axes, AxisValues, Needs
from fbftl.study.model.block import Positive, Rate, Share
from fbftl.study.record import Block, MethodRecord, alike_in, normalised_faults

NOISY = Needs("mechanism dp_gd", lambda setting: setting.mechanism == "dp_gd")


class PrivateGDAxes(Axes):
    """Axes of private GD alone.

    descent_steps: noisy full-batch steps T.
    descent_momentum: bias-corrected momentum β of noisy steps.
    neighbour_relation: adjacency that epsilon refers to: one sample removed, with the divisor
        unchanged, or one replaced.
    data_scale: largest L2 norm of inputs; null takes privacy.public_scale.norm.
    louder_step: step, from 1, whose noise is doubled to measure how much the step influences the
        result; null doubles none.
    """

    descent_steps: Annotated[int, Field(ge=1, le=100_000)] = 100
    descent_momentum: Rate = 0.0
    neighbour_relation: Annotated[Literal["removed", "replaced"], NOISY] = "removed"
    data_scale: Positive | None = None
    louder_step: Annotated[Annotated[int, Field(ge=1, le=100_000)] | None, NOISY] = None


def private_gd_faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself."""
    if setting.louder_step is not None and setting.louder_step > setting.descent_steps:
        yield (
            f"has more noise at step {setting.louder_step} of {setting.descent_steps}; give "
            "louder_step at most descent_steps"
        )


PRIVATE_GD = MethodRecord(
    "private_gd", "private GD", "#8C564B", "X", "thesis-budgets",
    place=180,
    reads="features",
    sends="once",
    axes=(*CLIENTS, *NOISE, *SCHEDULE, PrivateGDAxes),
    mechanisms=("none", "dp_gd"),
    public=True,
    privacy=("public_scale",),
    faults=private_gd_faults,
    together=alike_in("descent_steps", "descent_momentum", "mechanism", "data_scale"),
    ignores=("epochs", "momentum"),
)  # fmt: skip
"""Private GD: a trusted server takes noisy full-batch gradient steps on uploaded features."""


SPLITMIX = MethodRecord(
    "splitmix", "Split-Mix", "#7A0177", "8", "thesis-splitmix",
    place=200,
    reads="clients and source",
    sends="local",
    axes=(*WIDTHS, "rescaled_init", "clients_per_round", "rescaled_layers"),
    compresses=False,
    task_faults=normalised_faults,
)  # fmt: skip
"""Split-Mix: clients train narrow networks, as many as they can, which combine to any width."""


class RobustAxes(Axes):
    """Axes of robust FedAvg alone.

    disturbed_normalisation: whether disturbed inputs have batch normalisation of their own, or
        shared with clean inputs.
    robust_weight: share of the loss on disturbed inputs in the total loss.
    """

    disturbed_normalisation: Literal["own", "shared"] = "own"
    robust_weight: Share = 0.5


OF_BASES = ("budgets", "budget_order", "rescaled_init", "clients_per_round", "rescaled_layers")
"""Axes that bases alone read."""


def robust_faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself."""
    idle = [axis for axis in OF_BASES if getattr(setting, axis) != SHARED[axis].default]
    if setting.width == 1 and idle:
        yield f"trains one whole network, which reads no {idle[0]}; leave it out, or give width"


def robust_task_faults(setting: AxisValues, task: Block, training: Block) -> Iterator[str]:
    """Yield what training on disturbed inputs lacks of a task."""
    if task["source"]["kind"] == "vectors":
        yield (
            "what is disturbed are pixels, and columns or features would be another threat: give "
            "the task images"
        )
    normalised = setting.network and task["networks"][setting.network]["norm"] == "batch"
    if not normalised or training["batch_norm"] != "batch":
        yield (
            "disturbed inputs are normalised apart: name a network with norm: batch, and set "
            "training.batch_norm: batch"
        )
    if training["selection"] != "last" or task["features"]["size"] is not None:
        yield (
            "robustness is measured after the last round on images of their own size: set "
            "training.selection: last and features.size: null"
        )


ROBUST = MethodRecord(
    "robust", "robust FedAvg", "#35978F", "$R$", "thesis-splitmix",
    place=220,
    reads="clients and source",
    sends="local",
    axes=(*WIDTHS, "rescaled_init", "clients_per_round", "rescaled_layers", RobustAxes),
    compresses=False,
    faults=robust_faults,
    task_faults=robust_task_faults,
    whole_at_full_width=True,
    ignores=("absent_classes",),
)  # fmt: skip
"""Robust FedAvg: clients train on clean and on adversarial inputs, each with its own batch norm."""


HETEROFL = MethodRecord(
    "heterofl", "HeteroFL", "#8C510A", "<", "thesis-splitmix",
    place=230,
    reads="clients and source",
    sends="local",
    axes=(*WIDTHS, "clients_per_round"),
    compresses=False,
)  # fmt: skip
"""HeteroFL: each client trains a slice of one network, as wide as its budget."""


SHETEROFL = MethodRecord(
    "sheterofl", "SHeteroFL", "#5AAE61", ">", "thesis-splitmix",
    place=240,
    reads="clients and source",
    sends="local",
    axes=(*WIDTHS, "clients_per_round"),
    compresses=False,
)  # fmt: skip
"""SHeteroFL: HeteroFL whose clients also train every narrower slice inside their own."""
