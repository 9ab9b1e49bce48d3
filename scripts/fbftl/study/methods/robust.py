"""Robust FedAvg: clients train on clean and on disturbed inputs, normalised apart; bases too."""

from collections.abc import Iterator
from typing import Literal

from fbftl.study.axes import WIDTHS
from fbftl.study.axis import Axes, AxisValues
from fbftl.study.model.block import Share
from fbftl.study.record import Block, MethodRecord


class RobustAxes(Axes):
    """Axes of robust FedAvg alone.

    disturbed_normalisation: whether disturbed inputs have normalisations of their own or share
        those of clean ones.
    robust_weight: share of the loss on disturbed inputs in the whole loss.
    """

    disturbed_normalisation: Literal["own", "shared"] = "own"
    robust_weight: Share = 0.5


OF_BASES = {
    "budgets": "exponential",
    "budget_order": "by_domain",
    "rescaled_init": False,
    "clients_per_round": None,
    "rescaled_layers": False,
}
"""Axes that bases alone read, with their defaults."""


def faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself."""
    idle = [axis for axis, default in OF_BASES.items() if getattr(setting, axis) != default]
    if setting.width == 1 and idle:
        yield f"trains one whole network, which reads no {idle[0]}; leave it out, or give width"


def task_faults(setting: AxisValues, task: Block, training: Block) -> Iterator[str]:
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


RECORD = MethodRecord(
    "robust", "robust FedAvg", "#35978F", "$R$", "thesis",
    place=220,
    reads="clients and source",
    sends="local",
    axes=(*WIDTHS, "rescaled_init", "clients_per_round", "rescaled_layers", RobustAxes),
    compresses=False,
    faults=faults,
    task_faults=task_faults,
    whole_at_full_width=True,
    ignores=("absent_classes",),
)  # fmt: skip
