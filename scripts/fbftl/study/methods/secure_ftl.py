"""Secure FTL: two parties align their representations, openly or in shares."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from fbftl.study.axes import LINK
from fbftl.study.axis import Axes, AxisValues
from fbftl.study.dealing_faults import Dealt
from fbftl.study.model.block import NotNegative, UpToAMillion
from fbftl.study.record import Block, MethodRecord


class SecureFTLAxes(Axes):
    """Axes of Secure FTL alone.

    protection: of messages: plain, or beaver in shares.
    common_samples: samples of which each of two parties has a part.
    alignment_weight: weight gamma of the distance between both parties' representations of common
        samples.
    aligned_dimensions: dimensions of the representations that two parties align.
    """

    protection: Literal["plain", "beaver"] = "plain"
    common_samples: UpToAMillion = 50
    alignment_weight: NotNegative = 0.0
    aligned_dimensions: Annotated[int, Field(ge=1, le=10_000)] = 8


def faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself."""
    if setting.common_samples == 0:
        yield (
            "has no common samples, without which two parties have nothing to align; give "
            "common_samples 1 or more"
        )


def size_faults(setting: AxisValues, _task: Block, dealt: Dealt) -> Iterator[str]:
    """Yield what a task has too few samples for."""
    samples = dealt.samples
    most = min(samples or 0, setting.most_samples or samples or 0)
    if samples is not None and setting.common_samples > most:
        yield (
            f"is to have {setting.common_samples} common samples of {most}; give common_samples at "
            f"most {most}"
        )


RECORD = MethodRecord(
    "secure_ftl", "Secure FTL", "#B2182B", "$S$", "survey",
    place=190,
    reads="clients and source",
    sends="local",
    axes=(*LINK, "most_samples", SecureFTLAxes),
    compresses=False,
    faults=faults,
    size_faults=size_faults,
    ignores=(
        "momentum", "local_batch", "optimiser", "decay", "annealing", "absent_classes", "dropout",
        "batch_norm",
    ),
)  # fmt: skip
